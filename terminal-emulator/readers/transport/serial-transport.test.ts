import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { SerialPort } from 'serialport';
import { expect, onTestFinished, vi } from 'vitest';
import { type Clock, systemClock } from '../../../shared/clock.ts';
import { VirtualClock } from '../../../shared/virtual-clock.ts';
import { testThoroughly, testWith } from '../../../test/optional-programs.ts';
import {
  type ByteTransport,
  type LineSettings,
  ReaderOpenError,
  TransportClosedError,
} from '../reader-driver.ts';
import { makePtyAt, makeTemporaryFolder } from '../reader-harness.fixture.ts';
import { openSerial, serialPathCheckIntervalMs } from './serial-transport.ts';

const line: LineSettings = { baudRate: 115_200, dataBits: 8, stopBits: 1, parity: 'none' };
const test = testWith('socat');
const alone = testWith();

function open(path: string, clock: Clock = new VirtualClock({ startMs: 0 })): Promise<ByteTransport> {
  return openSerial(path, line, { clock, signal: new AbortController().signal });
}

const pty = (folder = makeTemporaryFolder(), name = 'port') => makePtyAt(join(folder, name));

function closed(transport: ByteTransport): Promise<string> {
  return new Promise((resolve) => transport.onClosed(resolve));
}

function received(transport: ByteTransport, count: number): Promise<Uint8Array> {
  const parts: number[] = [];
  return new Promise((resolve) => {
    transport.onData((bytes) => {
      parts.push(...bytes);
      if (parts.length >= count) resolve(Uint8Array.from(parts));
    });
  });
}

test('every byte value passes in both directions', async () => {
  const far = await pty();
  const near = await open(far.path);
  const all = Uint8Array.from({ length: 256 }, (_, value) => value);
  const [out, back] = [received(far.transport, 256), received(near, 256)];
  await near.write(all);
  await far.transport.write(all);
  expect(await out).toEqual(all);
  expect(await back).toEqual(all);
  await near.close();
});

test('control lines are set if possible: a pseudo-terminal has none', async () => {
  const near = await open((await pty()).path);
  const set = vi.spyOn(SerialPort.prototype, 'set');
  onTestFinished(() => set.mockRestore());
  await expect(near.setLines?.({ rts: false })).resolves.toBeUndefined();
  expect(set).toHaveBeenCalledExactlyOnceWith({ dtr: true, rts: false }, expect.any(Function));
  await near.close();
  await expect(near.setLines?.({ rts: true })).resolves.toBeUndefined();
  expect(set).toHaveBeenCalledOnce();
});

testThoroughly('socat')('a port that disappears is reported once, and writing to it fails', async () => {
  const far = await pty();
  const near = await open(far.path, systemClock);
  const texts: string[] = [];
  near.onClosed((why) => texts.push(why));
  const gone = closed(near);
  await far.close();
  expect(await gone).toBe('unplugged');
  await expect(near.write(Uint8Array.of(1))).rejects.toThrow(TransportClosedError);
  await near.close();
  expect(texts).toEqual(['unplugged']);
});

// In this test, serialport sometimes does not notice that the port is gone. In that case the check of the path has to
// notice it.
testThoroughly('socat')(
  'a port that disappears while bytes arrive is reported, and can be opened again when it is back',
  async () => {
    for (let time = 0; time < 5; time++) {
      const far = await pty();
      const near = await open(far.path, systemClock);
      const gone = closed(near);
      const flood = received(near, 1);
      void far.transport.write(new Uint8Array(20_000)).catch(() => {});
      await flood;
      await far.close();
      expect(await gone).toMatch(/unplugged|bad file|EIO|input\/output/i);
      await near.close();
    }
  },
);

test('a hang-up that the system does not report is detected by the path', async () => {
  const clock = new VirtualClock({ startMs: 0 });
  const folder = makeTemporaryFolder();
  const far = await pty(folder);
  const link = join(folder, 'by-id');
  symlinkSync(far.path, link);
  const near = await open(link, clock);
  const texts: string[] = [];
  near.onClosed((why) => texts.push(why));
  await clock.advance(serialPathCheckIntervalMs);
  expect(texts).toEqual([]);
  rmSync(link);
  await clock.advance(serialPathCheckIntervalMs);
  expect(texts).toEqual(['unplugged']);
  expect(clock.nextDue()).toBeUndefined();
});

test('a port that was replaced by another of the same name counts as unplugged', async () => {
  const clock = new VirtualClock({ startMs: 0 });
  const folder = makeTemporaryFolder();
  const link = join(folder, 'by-id');
  symlinkSync((await pty(folder, 'one')).path, link);
  const gone = closed(await open(link, clock));
  rmSync(link);
  symlinkSync((await pty(folder, 'two')).path, link);
  await clock.advance(serialPathCheckIntervalMs);
  expect(await gone).toBe('unplugged');
});

test('a port that is in use is reported as such', async () => {
  const far = await pty();
  const near = await open(far.path);
  await expect(open(far.path)).rejects.toMatchObject({
    code: 'BUSY',
    message: expect.stringMatching(/in use by another program/),
  });
  await near.close();
  await (await open(far.path)).close();
});

alone('a port that does not exist says so', async () => {
  const path = join(makeTemporaryFolder(), 'ttyUSB9');
  await expect(open(path)).rejects.toThrow(ReaderOpenError);
  await expect(open(path)).rejects.toMatchObject({
    code: 'NO_PORT',
    message: expect.stringMatching(/plugged in/),
  });
});

alone('a file that is no serial port says so', async () => {
  await expect(open('/dev/null')).rejects.toMatchObject({
    code: 'FAILED',
    message: expect.stringMatching(/is not a serial port/),
  });
});
