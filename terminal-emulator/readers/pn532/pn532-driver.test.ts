import { expect, test } from 'vitest';
import { makeSeededRandom } from '../../../shared/random.ts';
import { VirtualClock } from '../../../shared/virtual-clock.ts';
import type { ContactlessCard } from '../emulators/contactless-card.ts';
import { createEmvCard } from '../emulators/emv-card.ts';
import { contactlessPdol, type EmvApplicationDefinition } from '../emulators/emv-card-definition.ts';
import { Pn532Emulator } from '../emulators/pn532-emulator.ts';
import type { ReaderEvent } from '../reader-driver.ts';
import { createMemoryLine } from '../transport/memory-transport.fixture.ts';
import { visaApplication, visaCard, visaDefinition } from '../visa-card.fixture.ts';
import { Pn532Driver } from './pn532-driver.ts';

function contactlessCard(application: Partial<EmvApplicationDefinition> = {}): ContactlessCard {
  return visaCard({ pdol: contactlessPdol, sequenceNumber: 1, ...application });
}

function setup() {
  const clock = new VirtualClock({ startMs: 0 });
  const [host, device] = createMemoryLine();
  const chip = new Pn532Emulator(device, clock);
  const driver = new Pn532Driver(host, {
    clock,
    random: makeSeededRandom(1),
    fingerprintKey: new Uint8Array(32),
  });
  const events: ReaderEvent[] = [];
  const disarm = new AbortController();
  const arm = () =>
    driver.arm({ entries: ['Contactless'], amount: 100, currency: 'USD', signal: disarm.signal }, (event) =>
      events.push(event),
    );
  return { clock, host, device, chip, driver, events, disarm, arm };
}

const types = (events: ReaderEvent[]) => events.map(({ type }) => type);

test('a PN532 that is opened returns its firmware', async () => {
  const { driver } = setup();
  const info = await driver.open(new AbortController().signal);
  expect(info).toEqual({ driver: 'pn532', description: 'PN532 firmware 1.6', entries: ['Contactless'] });
});

test('a tapped card is reported as present, read and, once taken away, removed', async () => {
  const { driver, clock, chip, events, disarm, arm } = setup();
  await driver.open(new AbortController().signal);
  const armed = arm();
  await clock.advance(1_000);
  expect(events).toEqual([]);
  chip.present(contactlessCard());
  await clock.advance(1_000);
  expect(types(events)).toEqual(['card.present', 'card.read']);
  expect(events[1]).toMatchObject({
    read: {
      entry: 'Contactless',
      maskedPan: '476173 **** 0010',
      brand: 'visa',
      expiry: '1227',
      country: '840',
      sequenceNumber: '01',
      selectedAid: 'A0000000031010',
      serviceCode: '201',
    },
  });
  chip.remove();
  await clock.advance(1_000);
  expect(types(events)).toEqual(['card.present', 'card.read', 'card.removed']);
  chip.present(contactlessCard({ aid: 'A0000000041010', pan: '5413330089099130' }));
  await clock.advance(500);
  disarm.abort();
  await clock.advance(1_000);
  await armed;
  expect(types(events).slice(3)).toEqual(['card.present', 'card.read']);
});

test('a card of type B is read too', async () => {
  const { driver, clock, chip, events, arm } = setup();
  await driver.open(new AbortController().signal);
  void arm();
  chip.present(asTypeB(contactlessCard()));
  await clock.advance(1_000);
  expect(types(events)).toEqual(['card.present', 'card.read']);
  chip.remove();
  await clock.advance(1_000);
  expect(types(events)).toEqual(['card.present', 'card.read', 'card.removed']);
});

test('a card that is not a payment card is reported once, until it is taken away', async () => {
  const { driver, clock, chip, events, arm } = setup();
  await driver.open(new AbortController().signal);
  void arm();
  chip.present({ uid: Uint8Array.of(1, 2, 3, 4), reset() {}, transmit: () => new Uint8Array() });
  await clock.advance(3_000);
  expect(events).toEqual([
    { type: 'card.present', entry: 'Contactless' },
    { type: 'card.error', entry: 'Contactless', code: 'UNSUPPORTED_APP' },
  ]);
  chip.remove();
  await clock.advance(1_000);
  expect(types(events).at(-1)).toBe('card.removed');
});

test('a card taken away while it is read is reported as removed, and can be tapped again', async () => {
  const { driver, clock, chip, events, arm } = setup();
  await driver.open(new AbortController().signal);
  void arm();
  const card = contactlessCard();
  let commands = 0;
  chip.present({
    uid: card.uid,
    ats: card.ats,
    reset: () => card.reset(),
    transmit: (apdu, contactless) => {
      if (++commands === 2) queueMicrotask(() => chip.remove());
      return card.transmit(apdu, contactless);
    },
  });
  await clock.advance(2_000);
  expect(events).toEqual([
    { type: 'card.present', entry: 'Contactless' },
    { type: 'card.error', entry: 'Contactless', code: 'REMOVED' },
    { type: 'card.removed', entry: 'Contactless' },
  ]);
  chip.present(card);
  await clock.advance(1_000);
  expect(types(events).slice(3)).toEqual(['card.present', 'card.read']);
});

test('a card that is held there after a failed read is read again, and each failure is reported once', async () => {
  const { driver, clock, chip, events, arm } = setup();
  await driver.open(new AbortController().signal);
  void arm();
  const card = contactlessCard();
  let failures = 3;
  chip.present({
    uid: card.uid,
    ats: card.ats,
    reset: () => card.reset(),
    transmit: (apdu, contactless) =>
      failures-- > 0 ? Uint8Array.of(0x6f) : card.transmit(apdu, contactless),
  });
  await clock.advance(5_000);
  expect(events.slice(0, 2)).toEqual([
    { type: 'card.present', entry: 'Contactless' },
    { type: 'card.error', entry: 'Contactless', code: 'BAD_READ' },
  ]);
  expect(types(events)).toEqual(['card.present', 'card.error', 'card.read']);
  chip.remove();
  await clock.advance(1_000);
  expect(types(events).at(-1)).toBe('card.removed');
});

const secondCard = (uid = 'DEAD0002') =>
  createEmvCard({
    ...visaDefinition,
    uid,
    applications: [{ ...visaApplication, aid: 'A0000000041010', pan: '5413330089099130' }],
  });
const badge = (ats?: Uint8Array): ContactlessCard => ({
  uid: Uint8Array.of(1, 2, 3, 4),
  ats,
  reset() {},
  transmit: () => Uint8Array.of(0x6a, 0x82),
});

test.each(['A', 'B'] as const)(
  'of two payment cards (the second of type %s) neither is read until one is taken away',
  async (type) => {
    const { driver, clock, chip, events, arm } = setup();
    await driver.open(new AbortController().signal);
    void arm();
    const other = type === 'B' ? asTypeB(secondCard()) : secondCard();
    const first = contactlessCard();
    chip.present(first, other);
    await clock.advance(10_000);
    expect(events).toEqual([
      { type: 'card.present', entry: 'Contactless' },
      { type: 'card.error', entry: 'Contactless', code: 'COLLISION' },
    ]);
    chip.remove(first);
    await clock.advance(3_000);
    expect(events.slice(2)).toMatchObject([{ type: 'card.read', read: { maskedPan: '541333 **** 9130' } }]);
    chip.remove();
    await clock.advance(1_000);
    expect(types(events).at(-1)).toBe('card.removed');
  },
);

test.each([
  ['a badge', badge()],
  ['a chip badge', badge(Uint8Array.of(0x05, 0x78, 0x80, 0x70, 0x02))],
])('a payment card is read before, after and behind %s', async (_what, other) => {
  for (const order of ['before', 'behind', 'after'] as const) {
    const { driver, clock, chip, events, disarm, arm } = setup();
    await driver.open(new AbortController().signal);
    const armed = arm();
    const card = contactlessCard();
    if (order === 'after') {
      chip.present(other);
      await clock.advance(3_000);
      expect(events).toMatchObject([{ type: 'card.present' }, { code: 'UNSUPPORTED_APP' }]);
      chip.join(card);
    } else chip.present(...(order === 'before' ? [card, other] : [other, card]));
    await clock.advance(3_000);
    const texts = types(events).filter((type) => type !== 'card.error');
    expect(texts, order).toEqual(['card.present', 'card.read']);
    chip.remove(card);
    await clock.advance(1_000);
    expect(types(events)).toContain('card.removed');
    disarm.abort();
    await clock.advance(1_000);
    await armed;
  }
});

test.each([
  ['a card that was read', contactlessCard()],
  ['a badge', badge()],
  ['a card that fails', { ...badge(Uint8Array.of(1)), transmit: () => Uint8Array.of(0x6f) }],
])('a card that replaces %s between two polls is read', async (_what, first) => {
  const { driver, clock, chip, events, arm } = setup();
  await driver.open(new AbortController().signal);
  void arm();
  chip.present(first);
  await clock.advance(1_000);
  const before = events.length;
  chip.present(secondCard());
  await clock.advance(3_000);
  expect(types(events).slice(before)).toEqual(['card.removed', 'card.present', 'card.read']);
});

test('a card that stays is read once, and again when the reader is armed again', async () => {
  const { driver, clock, chip, events, disarm, arm } = setup();
  await driver.open(new AbortController().signal);
  chip.present(contactlessCard());
  const first = arm();
  await clock.advance(10_000);
  expect(types(events)).toEqual(['card.present', 'card.read']);
  disarm.abort();
  await clock.advance(500);
  await first;
  const again = new AbortController();
  void driver.arm({ entries: ['Contactless'], amount: 1, currency: 'EUR', signal: again.signal }, (event) =>
    events.push(event),
  );
  await clock.advance(1_000);
  expect(types(events)).toEqual(['card.present', 'card.read', 'card.present', 'card.read']);
});

test('a card is found by a reader that is opened again, though the chip did not hear its release', async () => {
  const { driver, clock, chip, events, disarm, arm, host } = setup();
  await driver.open(new AbortController().signal);
  chip.present(contactlessCard());
  const armed = arm();
  await clock.advance(1_000);
  expect(types(events)).toEqual(['card.present', 'card.read']);
  // InRelease (52) and everything after it is lost on the line: the field stays on, and the card stays selected.
  const write = host.write;
  host.write = async () => {};
  disarm.abort();
  await clock.advance(5_000);
  await armed;
  host.write = write;
  const again = new Pn532Driver(host, {
    clock,
    random: makeSeededRandom(1),
    fingerprintKey: new Uint8Array(32),
  });
  const opening = again.open(new AbortController().signal);
  await clock.advance(2_000);
  await opening;
  const stop = new AbortController();
  const request = { entries: ['Contactless'], amount: 1, currency: 'EUR', signal: stop.signal } as const;
  void again.arm(request, (event) => events.push(event));
  await clock.advance(2_000);
  expect(types(events).slice(2)).toEqual(['card.present', 'card.read']);
  stop.abort();
  await clock.advance(2_000);
});

test('answers longer than one exchange are joined', async () => {
  const { driver, clock, chip, events, arm } = setup();
  await driver.open(new AbortController().signal);
  void arm();
  const card = contactlessCard();
  // Padding after the directory is allowed. It makes the answer longer than one exchange of the PN532.
  const padding = new Uint8Array(600);
  chip.present({
    uid: card.uid,
    ats: card.ats,
    reset: () => card.reset(),
    transmit: (apdu, contactless) => {
      const answer = card.transmit(apdu, contactless);
      const end = answer.length - 2;
      return Uint8Array.of(...answer.subarray(0, end), ...padding, ...answer.subarray(end));
    },
  });
  await clock.advance(1_000);
  expect(types(events)).toEqual(['card.present', 'card.read']);
});

test('disarming at any moment ends the work at once and leaves no timer', async () => {
  for (let afterBytes = 0; afterBytes < 400; afterBytes += 7) {
    const { driver, clock, device, chip, disarm, arm } = setup();
    await driver.open(new AbortController().signal);
    chip.present(contactlessCard());
    let seen = 0;
    device.onData((bytes) => {
      seen += bytes.length;
      if (seen >= afterBytes) disarm.abort();
    });
    const armed = arm();
    await clock.advance(30_000);
    await armed;
    expect(clock.nextDue()).toBeUndefined();
  }
});

test('a chip that falls silent is reported as a lost reader', async () => {
  const { clock, events, driver, chip, host, device, arm } = setup();
  await driver.open(new AbortController().signal);
  const armed = arm();
  await clock.advance(500);
  expect(chip.cards).toEqual([]);
  let closed = false;
  host.onClosed(() => {
    closed = true;
  });
  // The reader's power fails: the cable is still plugged in, but nothing answers.
  Object.assign(device, { write: async () => {} });
  await clock.advance(3_000);
  await armed;
  expect(types(events)).toEqual(['reader.lost']);
  expect(closed).toBe(true);
});

test('opening a device that is not a PN532 returns no firmware', async () => {
  const opening = async (answer?: Uint8Array) => {
    const clock = new VirtualClock({ startMs: 0 });
    const [host, device] = createMemoryLine('/dev/ttyUSB0');
    if (answer) device.onData(() => void device.write(answer));
    const driver = new Pn532Driver(host, {
      clock,
      random: makeSeededRandom(1),
      fingerprintKey: new Uint8Array(32),
    });
    const opened = driver.open(new AbortController().signal).catch((error) => error);
    await clock.advance(2_000);
    return opened;
  };
  expect(await opening()).toMatchObject({
    code: 'NO_ANSWER',
    message: expect.stringContaining('/dev/ttyUSB0'),
  });
  expect(await opening(new TextEncoder().encode('hello\r\n'))).toMatchObject({ code: 'WRONG_DEVICE' });
});

function asTypeB(card: ContactlessCard): ContactlessCard {
  return {
    uid: card.uid,
    ats: card.ats,
    type: 'B',
    reset: () => card.reset(),
    transmit: (apdu, contactless) => card.transmit(apdu, contactless),
  };
}
