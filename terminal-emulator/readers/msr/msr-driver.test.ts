import fc from 'fast-check';
import { expect, test } from 'vitest';
import { VirtualClock } from '../../../shared/virtual-clock.ts';
import { defaultCards } from '../../cards/default-cards.ts';
import { createMsrEmulator, encodeSwipe, makeCardTracks, msrFramings } from '../emulators/msr-emulator.ts';
import type { ReaderEvent } from '../reader-driver.ts';
import { StallingClock } from '../stalling-clock.fixture.ts';
import { createMemoryLine } from '../transport/memory-transport.fixture.ts';
import { MsrDriver } from './msr-driver.ts';

const track1 = '%B4761739001010010^DOE/JOHN Q^27122011184500000000000?';
const track2 = ';4761739001010010=27122011845888890000?';

function setup() {
  const clock = new VirtualClock({ startMs: 0 });
  const [host, device] = createMemoryLine();
  const driver = new MsrDriver(host, { clock, fingerprintKey: new Uint8Array(32) });
  const events: ReaderEvent[] = [];
  const disarm = new AbortController();
  const arm = (entries: readonly ['MagStripe'] | readonly ['ICC'] = ['MagStripe']) =>
    driver.arm({ entries, amount: 100, currency: 'EUR', signal: disarm.signal }, (event) =>
      events.push(event),
    );
  const send = (text: string) => device.write(new TextEncoder().encode(text));
  return { clock, device, driver, events, disarm, arm, send };
}

const types = (events: ReaderEvent[]) => events.map(({ type }) => type);

test('a swipe is reported as a card that came, was read and went', async () => {
  const { clock, events, arm, send, disarm } = setup();
  const armed = arm();
  await send(`${track1}${track2}\r`);
  await clock.advance(99);
  expect(events).toEqual([]);
  await clock.advance(2);
  expect(types(events)).toEqual(['card.present', 'card.read', 'card.removed']);
  disarm.abort();
  await armed;
});

test('a swipe ends when nothing more comes, not at a carriage return', async () => {
  const { clock, events, arm, send } = setup();
  void arm();
  await send(`${track1}\r`);
  await clock.advance(80);
  await send(`${track2}\r`);
  await clock.advance(80);
  await send(`;0123?\r`);
  await clock.advance(200);
  expect(types(events)).toEqual(['card.present', 'card.read', 'card.removed']);
});

test('a swipe gives the same card however it is split', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...msrFramings),
      fc.boolean(),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
      async (framing, lrc, sizes) => {
        const { clock, device, events, arm } = setup();
        void arm();
        const bytes = encodeSwipe({ track1, track2 }, framing, lrc);
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          await device.write(bytes.subarray(at, at + size));
          await clock.advance(5);
          at += size;
        }
        await clock.advance(200);
        expect(events).toContainEqual({
          type: 'card.read',
          read: expect.objectContaining({ maskedPan: '476173 **** 0010' }),
        });
      },
    ),
    { seed: 1, numRuns: 60 },
  );
});

test('a bad read is reported, and the next swipe is read', async () => {
  const { clock, events, arm, send } = setup();
  void arm();
  await send('%E?;E?\r');
  await clock.advance(200);
  await send(`${track2}\r`);
  await clock.advance(200);
  expect(types(events)).toEqual([
    'card.present',
    'card.error',
    'card.removed',
    'card.present',
    'card.read',
    'card.removed',
  ]);
  expect(events[1]).toMatchObject({ code: 'BAD_READ' });
});

test('a reader with a sensor reports when the card goes in, and reads it when it comes out', async () => {
  const { clock, events, arm, send } = setup();
  void arm();
  await send('1\r');
  await clock.advance(500);
  expect(types(events)).toEqual(['card.present']);
  await send(`${track1}${track2}0\r`);
  await clock.advance(500);
  expect(types(events)).toEqual(['card.present', 'card.read', 'card.removed']);
});

test('a card that is swiped while disarmed is forgotten', async () => {
  const { clock, events, arm, send } = setup();
  await send(track1);
  await clock.advance(200);
  void arm();
  await send(`${track2}\r`);
  await clock.advance(200);
  expect(types(events)).toEqual(['card.present', 'card.read', 'card.removed']);
});

test('a flood of data is a bad read and takes no memory', async () => {
  const { clock, events, arm, send } = setup();
  void arm();
  for (let block = 0; block < 2_000; block++) await send('x'.repeat(512));
  await clock.advance(200);
  expect(events[1]).toMatchObject({ type: 'card.error', code: 'BAD_READ' });
});

test('a line that closes is a lost reader', async () => {
  const { device, events, arm, clock, send } = setup();
  const armed = arm();
  await send(track1);
  await clock.advance(10);
  await device.close();
  await armed;
  await clock.advance(1_000);
  expect(types(events)).toEqual(['reader.lost']);
  expect(clock.nextDue()).toBeUndefined();
});

test('every card of the tray with a stripe is recognised when it is swiped', async () => {
  for (const card of defaultCards.filter(({ stripe }) => stripe?.readable)) {
    const { clock, device, events, arm } = setup();
    void arm();
    await createMsrEmulator(device, { framing: 'magtek', lrc: true }).swipe(makeCardTracks(card));
    await clock.advance(200);
    expect(events[1]).toMatchObject({
      type: 'card.read',
      read: { expiry: card.expiry, maskedPan: expect.stringContaining(card.number.slice(-4)) },
    });
  }
});

test('a swipe that came in pieces while the program was held up is one swipe', async () => {
  const clock = new StallingClock();
  const [host, device] = createMemoryLine();
  const driver = new MsrDriver(host, { clock, fingerprintKey: new Uint8Array(32) });
  const events: ReaderEvent[] = [];
  const disarm = new AbortController();
  const armed = driver.arm(
    { entries: ['MagStripe'], amount: 100, currency: 'EUR', signal: disarm.signal },
    (event) => events.push(event),
  );
  const send = (text: string) => device.write(new TextEncoder().encode(text));
  await send(track1.slice(0, 20));
  clock.stall(3_000);
  await send(`${track1.slice(20)}${track2}\r`);
  for (let part = 0; part < 5; part++) clock.stall(20);
  expect(types(events)).toEqual(['card.present', 'card.read', 'card.removed']);
  disarm.abort();
  await armed;
});
