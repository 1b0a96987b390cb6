import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeSeededRandom } from '../../../shared/random.ts';
import { VirtualClock } from '../../../shared/virtual-clock.ts';
import { sampleCases, scaledDraws } from '../../../test/draws.ts';
import { CcidEmulator } from '../emulators/ccid-emulator.ts';
import { createEmvCard, type EmvCard } from '../emulators/emv-card.ts';
import type { EmvCardDefinition } from '../emulators/emv-card-definition.ts';
import { type ByteTransport, type ReaderEvent, ReaderOpenError } from '../reader-driver.ts';
import { createMemoryLine } from '../transport/memory-transport.fixture.ts';
import { visaApplication, visaDefinition } from '../visa-card.fixture.ts';
import { CcidDriver, type CcidFramingName } from './ccid-driver.ts';
import { encodeCcid } from './ccid-message.ts';
import { gemPcFraming } from './gempc-framing.ts';

const visa: EmvCardDefinition = {
  ...visaDefinition,
  applications: [{ ...visaApplication, pdol: [['9F02', 6]], sequenceNumber: 1, verification: 'offlinePin' }],
};

interface SetupOptions {
  framing?: CcidFramingName;
  echo?: boolean;
  /** Wraps the line at the driver's end. A test uses this, for example, to break the line. */
  line?: (transport: ByteTransport) => ByteTransport;
}

async function setup(options: SetupOptions = {}) {
  const clock = new VirtualClock({ startMs: 0 });
  const [near, far] = createMemoryLine();
  const emulator = new CcidEmulator(far, clock, options);
  const transport = options.line ? options.line(near) : near;
  const framing = options.framing ?? 'gempc';
  const driver = new CcidDriver(
    transport,
    { clock, random: makeSeededRandom(1), fingerprintKey: new Uint8Array(16) },
    framing,
  );
  const events: ReaderEvent[] = [];
  const stop = new AbortController();
  const arm = () =>
    driver.arm({ entries: ['ICC'], amount: 100, currency: 'USD', signal: stop.signal }, (event) =>
      events.push(event),
    );
  return { clock, emulator, driver, events, stop, arm, near, far };
}

/** Gives each event as a short text: its type and, for an error, the code. */
function texts(events: ReaderEvent[]): string[] {
  return events.map((event) => (event.type === 'card.error' ? `${event.type} ${event.code}` : event.type));
}

async function opened(options: SetupOptions = {}) {
  const all = await setup(options);
  const opening = all.driver.open(all.stop.signal);
  await all.clock.advance(400);
  const info = await opening;
  return { ...all, info };
}

describe.each([
  { framing: 'gempc', echo: false },
  { framing: 'gempc', echo: true },
  { framing: 'acs', echo: false },
] as const)('over $framing framing, echo $echo', (options) => {
  test.each(['T=0', 'T=1'] as const)(
    'a %s card is read and masked, and its removal is reported',
    async (protocol) => {
      const { clock, emulator, events, stop, arm, info } = await opened(options);
      expect(info.description).toBe('CCID reader GemTwin-V2.00-GL04');
      const armed = arm();
      await clock.advance(1_000);
      emulator.insert(createEmvCard({ ...visa, protocol }));
      await clock.advance(1_000);
      expect(texts(events)).toEqual(['card.present', 'card.read']);
      expect(events[1]).toMatchObject({
        read: {
          entry: 'ICC',
          maskedPan: '476173 **** 0010',
          brand: 'visa',
          expiry: '1227',
          country: '840',
          sequenceNumber: '01',
          selectedAid: 'A0000000031010',
          verification: 'offlinePin',
        },
      });
      expect(JSON.stringify(events)).not.toContain('4761739001010010');
      emulator.remove();
      await clock.advance(1_000);
      stop.abort();
      await armed;
      expect(texts(events)).toEqual(['card.present', 'card.read', 'card.removed']);
    },
  );
});

test('a card that was already in the slot is read at once, and so is the next one', async () => {
  const { clock, emulator, events, stop, arm } = await opened();
  emulator.insert(createEmvCard(visa));
  const armed = arm();
  await clock.advance(100);
  emulator.remove();
  await clock.advance(100);
  emulator.insert(createEmvCard({ ...visa, protocol: 'T=1' }));
  await clock.advance(100);
  stop.abort();
  await armed;
  expect(texts(events)).toEqual(['card.present', 'card.read', 'card.removed', 'card.present', 'card.read']);
});

test('a card without a directory is found by its AID, and a card without track 2 by its number', async () => {
  const { clock, emulator, events, stop, arm } = await opened();
  const [application] = visa.applications;
  const plain = { ...application!, withoutTrack2: true, gpo: 'format1' as const };
  emulator.insert(createEmvCard({ ...visa, pse: false, ppse: false, applications: [plain] }));
  const armed = arm();
  await clock.advance(100);
  stop.abort();
  await armed;
  expect(events[1]).toMatchObject({ type: 'card.read', read: { maskedPan: '476173 **** 0010' } });
});

test('a chip that refuses everything is a card error, and may be read well at the second try', async () => {
  const { clock, emulator, events, stop, arm } = await opened();
  const card = createEmvCard({ ...visa, unreadable: 'once' });
  const armed = arm();
  for (let time = 0; time < 2; time++) {
    emulator.insert(card);
    await clock.advance(1_000);
    emulator.remove();
    await clock.advance(1_000);
  }
  stop.abort();
  await armed;
  expect(texts(events)).toEqual([
    'card.present',
    'card.error UNSUPPORTED_APP',
    'card.removed',
    'card.present',
    'card.read',
    'card.removed',
  ]);
});

test('a card taken out while it is read is reported as removed', async () => {
  const { clock, emulator, events, stop, arm } = await opened();
  const card = createEmvCard(visa);
  const shy: EmvCard = {
    ...card,
    reset: () => card.reset(),
    transmit: (apdu) => card.transmit(apdu),
    transmitT0(tpdu) {
      if (tpdu[1] === 0xa8) queueMicrotask(() => emulator.remove());
      return card.transmitT0(tpdu);
    },
  };
  emulator.insert(shy);
  const armed = arm();
  await clock.advance(1_000);
  stop.abort();
  await armed;
  expect(texts(events)).toEqual(['card.present', 'card.error REMOVED', 'card.removed']);
});

test('a card whose contacts break while it is pulled out counts as removed, not as unreadable', async () => {
  const { clock, emulator, events, stop, arm } = await opened();
  const card = createEmvCard(visa);
  emulator.insert({
    ...card,
    reset: () => card.reset(),
    transmit: (apdu) => card.transmit(apdu),
    transmitT0(tpdu) {
      if (tpdu[1] !== 0xa8) return card.transmitT0(tpdu);
      queueMicrotask(() => emulator.remove());
      return new Uint8Array();
    },
  });
  const armed = arm();
  await clock.advance(1_000);
  stop.abort();
  await armed;
  expect(texts(events)).toEqual(['card.present', 'card.error REMOVED', 'card.removed']);
});

test('a line without an answer is reported with advice on what to check', async () => {
  const clock = new VirtualClock({ startMs: 0 });
  const [near] = createMemoryLine('/dev/ttyUSB0');
  const driver = new CcidDriver(near, {
    clock,
    random: makeSeededRandom(1),
    fingerprintKey: new Uint8Array(16),
  });
  const opening = driver.open(new AbortController().signal);
  const refusal = expect(opening).rejects.toThrow(ReaderOpenError);
  await clock.advance(5_000);
  await refusal;
  await expect(opening).rejects.toThrow(/no CCID reader answers on \/dev\/ttyUSB0/);
});

test('a reader that falls silent is reported as lost', async () => {
  const { clock, events, arm, far } = await opened();
  const armed = arm();
  await clock.advance(1_000);
  const silent = new Set<unknown>();
  far.onData = (listener) => () => silent.add(listener);
  far.write = async () => {};
  await clock.advance(10_000);
  await armed;
  expect(texts(events)).toEqual(['reader.lost']);
});

/** Wraps a line so that the line breaks as soon as `budget` bytes have passed. The bytes of both directions count. */
function cutAfter(budget: number) {
  let left = budget;
  return (inner: ByteTransport): ByteTransport => {
    const pass = (bytes: Uint8Array) => {
      const whole = left >= bytes.length;
      const passed = bytes.slice(0, Math.max(0, left));
      left -= bytes.length;
      if (!whole) queueMicrotask(() => inner.close());
      return passed;
    };
    return {
      name: inner.name,
      onClosed: (listener) => inner.onClosed(listener),
      close: () => inner.close(),
      write: (bytes) => inner.write(pass(bytes)),
      onData: (listener) => inner.onData((bytes) => listener(pass(bytes))),
    };
  };
}

test.each(sampleCases(['T=0', 'T=1'] as const, 2))(
  'a %s transaction whose line dies at any byte ends with a lost reader, and never hangs',
  async (protocol) => {
    const outcomes = new Map<string, number>();
    for (let budget = 0; ; budget++) {
      const { clock, emulator, driver, events, stop, arm } = await setup({ line: cutAfter(budget) });
      emulator.insert(createEmvCard({ ...visa, protocol }));
      const opening = driver.open(stop.signal).then(
        () => 'opened',
        (error) => (error instanceof ReaderOpenError ? error.code : String(error)),
      );
      await clock.advance(2_000);
      let outcome = await opening;
      if (outcome === 'opened') {
        let over = false;
        const armed = arm().then(() => {
          over = true;
        });
        await clock.advance(2_000);
        const complete = texts(events).includes('card.read') && !over;
        if (complete) stop.abort();
        await clock.advance(10);
        await armed;
        outcome = complete ? 'read' : (texts(events).at(-1) ?? 'nothing');
      }
      await driver.close();
      expect(clock.nextDue(), `timers left after ${budget} bytes`).toBeUndefined();
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      if (outcome === 'read') break;
    }
    expect([...outcomes.keys()].sort()).toEqual(['FAILED', 'read', 'reader.lost']);
    expect(outcomes.get('reader.lost')).toBeGreaterThan(500);
  },
);

test('noise on the line causes repetitions, and the card is still read', async () => {
  for (let nth = 0; nth < 40; nth++) {
    let count = 0;
    const line = (inner: ByteTransport): ByteTransport => ({
      name: inner.name,
      onClosed: (listener) => inner.onClosed(listener),
      close: () => inner.close(),
      write: (bytes) => inner.write(bytes),
      onData: (listener) =>
        inner.onData((bytes) => {
          const copy = Uint8Array.from(bytes);
          if (count++ === nth) copy[copy.length - 1]! ^= 0x10;
          listener(copy);
        }),
    });
    const { clock, emulator, events, stop, arm } = await opened({ line });
    emulator.insert(createEmvCard(visa));
    const armed = arm();
    await clock.advance(3_000);
    stop.abort();
    await clock.advance(10);
    await armed;
    expect(texts(events), `chunk ${nth}`).toEqual(['card.present', 'card.read']);
  }
});

test('no answer of a reader makes the driver throw', async () => {
  const answer = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    // The frame of each message is valid, but the status, the error and the data in the message are random.
    fc
      .tuple(
        fc.constantFrom(0x80, 0x81, 0x82, 0x83),
        fc.nat(255),
        fc.nat(255),
        fc.uint8Array({ maxLength: 60 }),
      )
      .map(
        ([type, status, error, data]) =>
          (sequence: number) =>
            gemPcFraming.wrap(encodeCcid({ type, slot: 0, sequence, parameters: [status, error, 0], data })),
      ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(answer, { minLength: 1, maxLength: 12 }), async (answers) => {
      const clock = new VirtualClock({ startMs: 0 });
      const [near, far] = createMemoryLine();
      let turn = 0;
      far.onData((bytes) => {
        const next = answers[turn++ % answers.length]!;
        // Byte 8 of a framed command is its sequence number.
        void far.write(typeof next === 'function' ? next(bytes[8] ?? 0) : next).catch(() => {});
      });
      const driver = new CcidDriver(near, {
        clock,
        random: makeSeededRandom(1),
        fingerprintKey: new Uint8Array(16),
      });
      const stop = new AbortController();
      const events: ReaderEvent[] = [];
      const opening = driver
        .open(stop.signal)
        .catch((error) => expect(error).toBeInstanceOf(ReaderOpenError));
      await clock.advance(120_000);
      await opening;
      const request = { entries: ['ICC'], amount: 100, currency: 'USD', signal: stop.signal } as const;
      const armed = driver.arm(request, (event) => events.push(event));
      await clock.advance(20_000);
      stop.abort();
      await clock.advance(2_000);
      await armed;
      expect(texts(events)).not.toContain('card.read');
      await driver.close();
      expect(clock.nextDue()).toBeUndefined();
    }),
    { seed: 14, numRuns: scaledDraws(25) },
  );
});
