import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { systemClock } from '../../../shared/clock.ts';
import { testWith } from '../../../test/optional-programs.ts';
import { createEmvCard, type EmvCard } from '../emulators/emv-card.ts';
import { contactlessPdol } from '../emulators/emv-card-definition.ts';
import { createPn532Emulator } from '../emulators/pn532-emulator.ts';
import { openPtyLine, type PtyLine } from '../emulators/pty-line.ts';
import type { ByteTransport, ReaderEvent } from '../reader-driver.ts';
import { openSerial } from '../transport/serial-transport.ts';
import { createPn532Driver, pn532LineSettings } from './pn532-driver.ts';

const test = testWith('socat');

/** With PINPAD_EVERY_OFFSET=1 every offset of the transaction, which takes half a minute. */
const step = process.env.PINPAD_EVERY_OFFSET === '1' ? 1 : 13;

function visa(): EmvCard {
  return createEmvCard({
    id: 'visa',
    pse: true,
    ppse: true,
    protocol: 'T=0',
    uid: '08DEAD01',
    applications: [
      {
        aid: 'A0000000031010',
        label: 'VISA',
        priority: 1,
        pdol: contactlessPdol,
        gpo: 'format2',
        pan: '4761739001010010',
        expiry: '271231',
        serviceCode: '201',
        country: '840',
      },
    ],
  });
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'pinpad-pn532-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** The emulator's end, which pulls the plug once so many bytes have gone over it, in both directions. */
function breaking(line: PtyLine, afterBytes: number) {
  const { transport } = line;
  let gone = 0;
  const count = (bytes: number) => {
    gone += bytes;
    if (gone >= afterBytes) void line.close();
  };
  const end: ByteTransport = {
    name: transport.name,
    onData: (listener) =>
      transport.onData((bytes) => {
        listener(bytes);
        count(bytes.length);
      }),
    onClosed: (listener) => transport.onClosed(listener),
    close: () => transport.close(),
    async write(bytes) {
      const left = Math.max(0, afterBytes - gone);
      await transport.write(bytes.subarray(0, left));
      count(bytes.length);
    },
  };
  return { end, bytes: () => gone };
}

/** One tap over a serial port that vanishes after so many bytes; resolves at the read or the loss. */
async function tap(path: string, afterBytes: number): Promise<{ events: string[]; bytes: number }> {
  const line = await openPtyLine(path);
  const { end, bytes } = breaking(line, afterBytes);
  createPn532Emulator(end, systemClock).present(visa());
  const signal = new AbortController().signal;
  const port = await openSerial(path, pn532LineSettings, { clock: systemClock, signal });
  const driver = createPn532Driver(port, { clock: systemClock, fingerprintKey: new Uint8Array(32) });
  const events: string[] = [];
  const disarm = new AbortController();
  const emit = (event: ReaderEvent) => {
    events.push(event.type);
    if (event.type === 'card.read') disarm.abort();
  };
  try {
    await driver.open(signal);
    await driver.arm({ entries: ['Contactless'], amount: 100, currency: 'EUR', signal: disarm.signal }, emit);
  } catch {
    events.push('open.failed');
  }
  await driver.close();
  const total = bytes();
  await line.close();
  return { events, bytes: total };
}

test('a card is tapped at a serial port', async () => {
  expect((await tap(join(folder(), 'port'), Number.POSITIVE_INFINITY)).events).toEqual([
    'card.present',
    'card.read',
  ]);
});

test('wherever the serial port vanishes, the driver tells it, ends, and works on the next one', {
  timeout: 600_000,
}, async () => {
  const path = join(folder(), 'port');
  const whole = await tap(path, Number.POSITIVE_INFINITY);
  const ends: Record<string, number> = {};
  for (let offset = 1; offset < whole.bytes - 40; offset += step) {
    const { events } = await tap(path, offset);
    const end = events.at(-1) ?? 'nothing';
    ends[end] = (ends[end] ?? 0) + 1;
    expect([offset, ['open.failed', 'reader.lost', 'card.read'].includes(end)]).toEqual([offset, true]);
  }
  expect(ends['reader.lost']).toBeGreaterThan(0);
  expect((await tap(path, Number.POSITIVE_INFINITY)).events).toEqual(['card.present', 'card.read']);
});
