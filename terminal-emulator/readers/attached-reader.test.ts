import { expect, test } from 'vitest';
import { Journal } from '../../shared/journal.ts';
import { makeSeededRandom } from '../../shared/random.ts';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { AttachedReader } from './attached-reader.ts';
import { CcidEmulator } from './emulators/ccid-emulator.ts';
import { Pn532Emulator } from './emulators/pn532-emulator.ts';
import type { OpenLine } from './open-line.ts';
import { findAutoReader, listReaderPorts, probePort } from './probe.ts';
import { type ByteTransport, type ReaderEvent, ReaderOpenError } from './reader-driver.ts';
import { describeReaderAddress, parseReaderSpec } from './reader-spec.ts';
import type { PortSources } from './transport/list-ports.ts';
import { createMemoryLine } from './transport/memory-transport.fixture.ts';
import { visaCard } from './visa-card.fixture.ts';

/**
 * Replaces this machine's ports. A test plugs in a reader under a name, and the reader then answers at the port of
 * that name.
 */
function setup() {
  const clock = new VirtualClock({ startMs: 0 });
  const journal = new Journal(clock);
  const plugged = new Map<string, (line: ByteTransport) => void>();
  const open = new Map<string, ByteTransport>();
  const opened: string[] = [];
  const openLine: OpenLine = async (address, settings) => {
    const name = describeReaderAddress(address);
    opened.push(`${name} ${settings.baudRate} ${settings.dataBits}N${settings.stopBits}`);
    const device = plugged.get(name);
    if (!device) throw new ReaderOpenError('NO_PORT', `${name} does not exist`);
    const [near, far] = createMemoryLine(name);
    device(far);
    open.set(name, far);
    return near;
  };
  const sources: PortSources = {
    list: async () => [...plugged.keys()].map((path) => ({ path, vendorId: '1a86', productId: '7523' })),
    stableNames: async () => new Map(),
    devices: async () => [],
  };
  const unplug = (name: string) => {
    plugged.delete(name);
    void open.get(name)?.close();
  };
  const attach = (text: string) => {
    const options = {
      spec: parseReaderSpec(text),
      fingerprintKey: new Uint8Array(16),
      openLine,
      portSources: sources,
    };
    const reader = new AttachedReader(options, { clock, random: makeSeededRandom(1), journal });
    const events: ReaderEvent[] = [];
    const lines: string[] = [];
    reader.onEvent((event) => events.push(event));
    reader.onStatus(({ line }) => lines.push(line));
    return { reader, events, lines };
  };
  return { clock, journal, plugged, opened, openLine, sources, unplug, attach };
}

const sale = { entries: ['ICC', 'Contactless'], amount: 100, currency: 'EUR' } as const;

const types = (events: ReaderEvent[]) => events.map(({ type }) => type);

test('a named reader is shown, can be unplugged and plugged in again while armed, and then reads a card', async () => {
  const { clock, journal, plugged, unplug, attach } = setup();
  let slot: CcidEmulator | undefined;
  const plugIn = () =>
    plugged.set('/dev/ttyUSB0', (line) => {
      slot = new CcidEmulator(line, clock);
    });
  plugIn();
  const { reader, events, lines } = attach('ccid:/dev/ttyUSB0');
  expect(reader.status).toMatchObject({ state: 'connecting', line: 'looking for /dev/ttyUSB0' });
  await clock.advance(1_000);
  expect(reader.status).toMatchObject({ state: 'ready', entries: ['ICC'] });
  reader.arm(sale);
  unplug('/dev/ttyUSB0');
  await clock.advance(10_000);
  expect(reader.status).toMatchObject({ state: 'waiting', line: 'unplugged, waiting for /dev/ttyUSB0' });
  plugIn();
  await clock.advance(6_000);
  slot?.insert(visaCard());
  await clock.advance(1_000);
  expect(types(events)).toEqual(['reader.back', 'reader.lost', 'reader.back', 'card.present', 'card.read']);
  const ready = 'CCID reader GemTwin-V2.00-GL04 on /dev/ttyUSB0';
  expect(lines).toEqual([ready, 'unplugged, waiting for /dev/ttyUSB0', ready]);
  await reader.close();
  expect(reader.status.state).toBe('closed');
  expect(clock.nextDue()).toBeUndefined();
  expect(JSON.stringify(journal.since())).not.toContain('4761739001010010');
});

test('a reader that is not connected yet is waited for, and the screen says what to do', async () => {
  const { clock, plugged, attach } = setup();
  const { reader } = attach('pn532:/dev/ttyUSB0');
  await clock.advance(3_000);
  expect(reader.status).toMatchObject({ state: 'waiting', line: '/dev/ttyUSB0 does not exist' });
  plugged.set('/dev/ttyUSB0', (line) => new Pn532Emulator(line, clock));
  await clock.advance(6_000);
  expect(reader.status.line).toBe('PN532 firmware 1.6 on /dev/ttyUSB0');
  await reader.close();
});

test('another device at the port is reported, and the port is checked again later', async () => {
  const { clock, plugged, attach } = setup();
  plugged.set('/dev/ttyUSB0', () => {});
  const { reader } = attach('ccid:/dev/ttyUSB0');
  await clock.advance(3_000);
  expect(reader.status.line).toMatch(/no CCID reader answers on \/dev\/ttyUSB0/);
  await reader.close();
  expect(clock.nextDue()).toBeUndefined();
});

test('arming again replaces the former entry modes, and disarming ends reading', async () => {
  const { clock, plugged, attach } = setup();
  let slot: CcidEmulator | undefined;
  plugged.set('/dev/ttyUSB0', (line) => {
    slot = new CcidEmulator(line, clock);
  });
  const { reader, events } = attach('ccid:/dev/ttyUSB0');
  await clock.advance(1_000);
  reader.arm({ ...sale, entries: ['Contactless'] });
  slot?.insert(visaCard());
  await clock.advance(2_000);
  expect(types(events)).toEqual(['reader.back']);
  reader.arm(sale);
  await clock.advance(2_000);
  reader.disarm();
  await clock.advance(2_000);
  slot?.remove();
  await clock.advance(2_000);
  expect(types(events)).toEqual(['reader.back', 'card.present', 'card.read']);
  await reader.close();
});

test('two terminals have one reader each', async () => {
  const { clock, plugged, attach } = setup();
  plugged.set('/dev/ttyUSB0', (line) => new Pn532Emulator(line, clock).present(visaCard()));
  plugged.set('/dev/ttyUSB1', (line) => new CcidEmulator(line, clock).insert(visaCard()));
  const [tap, slot] = [attach('pn532:/dev/ttyUSB0'), attach('ccid:/dev/ttyUSB1')];
  await clock.advance(1_000);
  tap.reader.arm(sale);
  slot.reader.arm(sale);
  await clock.advance(1_000);
  expect(tap.events.at(-1)).toMatchObject({ type: 'card.read', read: { entry: 'Contactless' } });
  expect(slot.events.at(-1)).toMatchObject({ type: 'card.read', read: { entry: 'ICC' } });
  await Promise.all([tap.reader.close(), slot.reader.close()]);
});

test('the spec "auto" finds the reader among the ports, and finds it again at another port', async () => {
  const { clock, plugged, unplug, attach } = setup();
  plugged.set('/dev/ttyUSB0', () => {});
  plugged.set('/dev/ttyUSB1', (line) => new CcidEmulator(line, clock));
  const { reader } = attach('auto');
  await clock.advance(5_000);
  expect(reader.status.line).toBe('CCID reader GemTwin-V2.00-GL04 on /dev/ttyUSB1');
  unplug('/dev/ttyUSB1');
  plugged.set('/dev/ttyUSB2', (line) => new Pn532Emulator(line, clock));
  await clock.advance(15_000);
  expect(reader.status.line).toBe('PN532 firmware 1.6 on /dev/ttyUSB2');
  await reader.close();
});

test('a probe tries each protocol at its own settings, for 300 ms each', async () => {
  const { clock, plugged, opened, openLine } = setup();
  plugged.set('/dev/ttyUSB0', () => {});
  const probing = probePort({ kind: 'serial', path: '/dev/ttyUSB0' }, { clock, openLine });
  await clock.advance(1_200);
  expect(await probing).toEqual({ found: 'silence' });
  expect(opened).toEqual([
    '/dev/ttyUSB0 115200 8N1',
    '/dev/ttyUSB0 115200 8N2',
    '/dev/ttyUSB0 9600 8N1',
    '/dev/ttyUSB0 115200 8N1',
  ]);
  expect(clock.nextDue()).toBeUndefined();
});

test('a serial server, which serves one client, is probed over one connection, which is then closed', async () => {
  const { clock, plugged, opened, openLine } = setup();
  let left = '';
  plugged.set('tcp://box:4000', (line) => {
    line.onClosed((why) => {
      left = why;
    });
  });
  const probing = probePort({ kind: 'tcp', host: 'box', port: 4000 }, { clock, openLine });
  await clock.advance(1_200);
  expect(await probing).toEqual({ found: 'silence' });
  expect(opened).toHaveLength(1);
  expect(left).toBe('the other end closed');
});

test('a serial server that hangs up on every client is reported as busy', async () => {
  const { clock, plugged, openLine, attach } = setup();
  plugged.set('tcp://box:4000', (line) => {
    void line.write(new TextEncoder().encode('Port already in use\r\n')).then(() => line.close());
  });
  const busy = 'tcp://box:4000 hangs up: is another program connected to it?';
  const probing = probePort({ kind: 'tcp', host: 'box', port: 4000 }, { clock, openLine });
  await clock.advance(1_200);
  expect(await probing).toMatchObject({ found: 'error', error: { code: 'BUSY', message: busy } });
  for (const driver of ['pn532', 'ccid', 'vivotech2']) {
    const { reader } = attach(`${driver}:tcp://box:4000`);
    await clock.advance(200);
    expect(reader.status).toMatchObject({ state: 'waiting', line: busy });
    await Promise.all([reader.close(), clock.advance(1_000)]);
  }
});

test('ports are listed without sending a byte, and probed on request', async () => {
  const { clock, plugged, opened, openLine, sources } = setup();
  plugged.set('/dev/ttyUSB0', (line) => new Pn532Emulator(line, clock));
  const quiet = await listReaderPorts({ clock, openLine, sources, probe: false });
  expect(quiet.readers).toMatchObject([
    { path: '/dev/ttyUSB0', description: 'CH340 cable', probe: undefined },
  ]);
  expect(opened).toEqual([]);
  const asked = await listReaderPorts({ clock, openLine, sources, probe: true });
  expect(asked.readers[0]?.probe).toMatchObject({ found: 'reader', driver: 'pn532' });
});

test('a port that cannot be opened is reported with its remedy', async () => {
  const { clock, openLine } = setup();
  const result = await probePort({ kind: 'serial', path: '/dev/ttyUSB7' }, { clock, openLine });
  expect(result).toMatchObject({ found: 'error', error: { code: 'NO_PORT' } });
});

test('one silent USB port is taken for a stripe reader, and two are not', async () => {
  const { clock, plugged, openLine, sources } = setup();
  plugged.set('/dev/ttyUSB0', () => {});
  const one = findAutoReader({ clock, openLine, sources });
  await clock.advance(1_500);
  expect(await one).toMatchObject({ driver: 'msr' });
  plugged.set('/dev/ttyUSB1', () => {});
  const two = findAutoReader({ clock, openLine, sources });
  const refused = expect(two).rejects.toThrow(/no reader answers on any of 2 ports/);
  await clock.advance(3_000);
  await refused;
});
