import { expect, test } from 'vitest';
import { Journal } from '../../shared/journal.ts';
import { makeSeededRandom } from '../../shared/random.ts';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { testThoroughly } from '../../test/optional-programs.ts';
import { contactlessPdol } from './emulators/emv-card-definition.ts';
import { createMsrEmulator } from './emulators/msr-emulator.ts';
import { Pn532Emulator } from './emulators/pn532-emulator.ts';
import { MsrDriver } from './msr/msr-driver.ts';
import { Pn532Driver } from './pn532/pn532-driver.ts';
import { type ByteTransport, type ReaderEvent, ReaderOpenError } from './reader-driver.ts';
import { ReconnectingReader } from './reconnecting-reader.ts';
import { createMemoryLine } from './transport/memory-transport.fixture.ts';
import { visaCard } from './visa-card.fixture.ts';

const testInCi = testThoroughly();

const fingerprintKey = new Uint8Array(32);

const visa = () => visaCard({ pdol: contactlessPdol });

/** Makes a line that breaks as soon as `afterBytes` bytes have passed. The bytes of both directions count. */
function breakingLine(afterBytes: number): [ByteTransport, ByteTransport, () => number] {
  const [host, device] = createMemoryLine();
  let gone = 0;
  const breaking = (end: ByteTransport): ByteTransport => ({
    name: end.name,
    onData: (listener) => end.onData(listener),
    onClosed: (listener) => end.onClosed(listener),
    close: () => end.close(),
    async write(bytes) {
      const left = afterBytes - gone;
      gone += bytes.length;
      if (left >= bytes.length) return end.write(bytes);
      await end.write(bytes.subarray(0, Math.max(0, left)));
      queueMicrotask(() => void end.close());
    },
  });
  return [breaking(host), breaking(device), () => gone];
}

function setup(breakAfter: number[] = []) {
  const clock = new VirtualClock({ startMs: 0 });
  const journal = new Journal(clock);
  const card = visa();
  const lines: (() => number)[] = [];
  const events: ReaderEvent[] = [];
  const reader = new ReconnectingReader(
    {
      name: 'pn532:memory',
      open: async () => {
        const [host, device, bytes] = breakingLine(breakAfter[lines.length] ?? Number.POSITIVE_INFINITY);
        lines.push(bytes);
        new Pn532Emulator(device, clock).present(card);
        return host;
      },
      createDriver: (transport) =>
        new Pn532Driver(transport, { clock, random: makeSeededRandom(1), fingerprintKey }),
    },
    { clock, journal },
  );
  reader.listen((event) => events.push(event));
  const disarm = new AbortController();
  const armed = reader.arm({ entries: ['Contactless'], amount: 100, currency: 'EUR', signal: disarm.signal });
  return { clock, journal, reader, events, lines, disarm, armed };
}

const types = (events: ReaderEvent[]) => events.map(({ type }) => type);

test('a reader connects, reads, and ends', async () => {
  const { clock, reader, events, disarm, armed } = setup();
  await clock.advance(2_000);
  expect(types(events)).toEqual(['reader.back', 'card.present', 'card.read']);
  disarm.abort();
  await clock.advance(1_000);
  await armed;
  await reader.close();
  expect(clock.nextDue()).toBeUndefined();
  expect(types(events)).toEqual(['reader.back', 'card.present', 'card.read']);
});

testInCi(
  'the reader reconnects and the card is read, wherever in a transaction the line breaks',
  async () => {
    const whole = setup();
    await whole.clock.advance(1_000);
    const bytes = whole.lines[0]!();
    await whole.reader.close();
    expect(bytes).toBeGreaterThan(500);
    for (let offset = 0; offset < bytes; offset++) {
      const { clock, reader, events, disarm, armed } = setup([offset]);
      await clock.advance(4_000);
      const cards = types(events).filter((type) => type.startsWith('card'));
      expect([offset, cards.slice(-2)]).toEqual([offset, ['card.present', 'card.read']]);
      expect(types(events).filter((type) => type === 'reader.back').length).toBe(
        1 + types(events).filter((type) => type === 'reader.lost').length,
      );
      expect(reader.info).toBeDefined();
      disarm.abort();
      await clock.advance(1_000);
      await armed;
      await reader.close();
      expect(clock.nextDue()).toBeUndefined();
    }
  },
);

test('a reader that is not connected yet is reported once, and retried at growing intervals', async () => {
  const clock = new VirtualClock({ startMs: 0 });
  const journal = new Journal(clock);
  let tries = 0;
  const reader = new ReconnectingReader(
    {
      name: 'pn532:/dev/ttyUSB0',
      open: async () => {
        tries++;
        throw new ReaderOpenError('PERMISSION', '/dev/ttyUSB0: permission denied. Join the group dialout.');
      },
      createDriver: (transport) =>
        new Pn532Driver(transport, { clock, random: makeSeededRandom(1), fingerprintKey }),
    },
    { clock, journal },
  );
  await clock.advance(60_000);
  expect(tries).toBeGreaterThan(10);
  expect(tries).toBeLessThan(20);
  expect(reader.problem).toContain('dialout');
  expect(journal.since().map(({ kind }) => kind)).toEqual(['warning']);
  await reader.close();
  expect(clock.nextDue()).toBeUndefined();
});

test('a line that ends as soon as it opens is retried at growing intervals, too', async () => {
  const clock = new VirtualClock({ startMs: 0 });
  const journal = new Journal(clock);
  const lines: ByteTransport[] = [];
  let hangsUp = true;
  const reader = new ReconnectingReader(
    {
      name: 'msr:tcp://box:4000',
      open: async () => {
        const [host, device] = createMemoryLine();
        lines.push(device);
        if (hangsUp) clock.setTimeout(() => void device.close(), 50);
        return host;
      },
      createDriver: (transport) => new MsrDriver(transport, { clock, fingerprintKey }),
    },
    { clock, journal },
  );
  await clock.advance(60_000);
  expect(lines.length).toBeGreaterThan(10);
  expect(lines.length).toBeLessThan(20);
  // If the line was open for a long time before it was lost, the reader opens the line again after the shortest wait.
  hangsUp = false;
  await clock.advance(60_000);
  const tries = lines.length;
  await lines.at(-1)?.close();
  await clock.advance(600);
  expect(lines.length).toBe(tries + 1);
  await reader.close();
});

test('a reader can be closed both while armed and while opening', async () => {
  const { clock, reader, armed } = setup();
  await reader.close();
  await clock.advance(1_000);
  await armed;
  const later = setup();
  await later.clock.advance(1_000);
  await later.reader.close();
  await later.clock.advance(1_000);
  await later.armed;
  expect(later.clock.nextDue()).toBeUndefined();
  expect(types(later.events)).not.toContain('reader.lost');
});

test('a reader that is armed for entry modes that it lacks waits without using the processor', async () => {
  const clock = new VirtualClock({ startMs: 0 });
  const [host, device] = createMemoryLine();
  const emulator = createMsrEmulator(device);
  const events: ReaderEvent[] = [];
  const reader = new ReconnectingReader(
    {
      name: 'msr:memory',
      open: async () => host,
      createDriver: (transport) => new MsrDriver(transport, { clock, fingerprintKey }),
    },
    { clock, journal: new Journal(clock) },
  );
  reader.listen((event) => events.push(event));
  const disarm = new AbortController();
  const armed = reader.arm({ entries: ['Contactless'], amount: 1, currency: 'EUR', signal: disarm.signal });
  await emulator.swipe({ track2: ';4761739001010010=27122011845888890000?' });
  await clock.advance(1_000);
  expect(types(events)).toEqual(['reader.back']);
  disarm.abort();
  await armed;
  await reader.close();
});

test('the journal shows what happened, and only masked data of cards', async () => {
  const { clock, journal, reader, armed, disarm } = setup();
  await clock.advance(2_000);
  disarm.abort();
  await clock.advance(1_000);
  await armed;
  await reader.close();
  const text = JSON.stringify(journal.since());
  expect(text).toContain('card.read Contactless 476173 **** 0010');
  expect(text).not.toContain('4761739001010010');
});
