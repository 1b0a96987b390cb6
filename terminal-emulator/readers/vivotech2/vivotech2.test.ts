import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeSeededRandom } from '../../../shared/random.ts';
import { VirtualClock } from '../../../shared/virtual-clock.ts';
import { concatBytes, fromHex, toHex } from '../hex.ts';
import type { ReaderEvent } from '../reader-driver.ts';
import { StallingClock } from '../stalling-clock.fixture.ts';
import { createMemoryLine } from '../transport/memory-transport.fixture.ts';
import { encodeVivoCommand, VivoDecoder } from './frame.ts';
import { encodeVivoResponse } from './vivo-response.fixture.ts';
import { Vivotech2Driver } from './vivotech2-driver.ts';

const signature = '5669564F746563683200';
const ping = `${signature}18010000B3CD`;
const pong = `${signature}18000000FA83`;
const activate = `${signature}020100121E9F02060000000001009C01005F2A02084007A2`;

test('a command ends with its checksum low byte first, an answer with its high byte first', () => {
  expect(toHex(encodeVivoCommand(0x18, 0x01, new Uint8Array()))).toBe(ping);
  expect(toHex(encodeVivoCommand(0x09, 0x01, new Uint8Array()))).toBe(`${signature}09010000A0A0`);
  expect(toHex(encodeVivoResponse({ command: 0x18, status: 0, data: new Uint8Array() }))).toBe(pong);
});

test('answers are found in spite of garbage, damage and splitting', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 60 }),
      fc.uint8Array({ maxLength: 60 }),
      fc.integer({ min: 1, max: 30 }),
      (data, noise, size) => {
        const frame = encodeVivoResponse({ command: 2, status: 0x23, data });
        const damaged = Uint8Array.from(frame);
        damaged[damaged.length - 1]! ^= 0x01;
        const line = concatBytes(noise, damaged, frame);
        const decoder = new VivoDecoder();
        const found = [];
        for (let at = 0; at < line.length; at += size) found.push(...decoder.feed(line.slice(at, at + size)));
        expect(found).toEqual([{ command: 2, status: 0x23, data }]);
      },
    ),
    { seed: 11, numRuns: 200 },
  );
});

/** Makes a driver on a line. The other end of the line answers each command as `answer` says. */
function setup(answer: (command: string) => Uint8Array | undefined) {
  const clock = new VirtualClock({ startMs: 0 });
  const [near, far] = createMemoryLine('/dev/ttyUSB0');
  const sent: string[] = [];
  far.onData((bytes) => {
    sent.push(toHex(bytes));
    const reply = answer(toHex(bytes));
    if (reply) void far.write(reply);
  });
  const driver = new Vivotech2Driver(near, {
    clock,
    random: makeSeededRandom(1),
    fingerprintKey: new Uint8Array(16),
  });
  const stop = new AbortController();
  const events: ReaderEvent[] = [];
  const arm = () =>
    driver.arm({ entries: ['Contactless'], amount: 100, currency: 'USD', signal: stop.signal }, (event) =>
      events.push(event),
    );
  return { clock, driver, stop, events, arm, sent, far };
}

test('a card at the reader is read from the data that the reader returns, and masked', async () => {
  const objects =
    '57134761739001010010D27122011845888890000F5A0847617390010100105F2403271231500B56495341204352454449 54';
  const reply = encodeVivoResponse({ command: 2, status: 0x23, data: fromHex(`000000${objects}`) });
  let once = true;
  const { clock, driver, stop, events, arm, sent } = setup((command) => {
    if (command === ping) return fromHex(pong);
    if (command !== activate || !once) return undefined;
    once = false;
    return reply;
  });
  expect(await driver.open(stop.signal)).toMatchObject({
    driver: 'vivotech2',
    description: expect.stringMatching(/experimental/),
  });
  const armed = arm();
  await clock.advance(2_000);
  stop.abort();
  await clock.advance(1_000);
  await armed;
  expect(events.map((event) => event.type)).toEqual(['card.present', 'card.read', 'card.removed']);
  expect(events[1]).toMatchObject({ read: { maskedPan: '476173 **** 0010', brand: 'visa', expiry: '1227' } });
  expect(sent[1]).toBe(activate);
  // When the driver is disarmed, it tells the reader to stop looking for a card.
  expect(sent.at(-1)).toMatch(new RegExp(`^${signature}0501`));
});

test('a failed reading is a card error, and a time-out of the reader is ignored', async () => {
  const statuses = [0x08, 0x0a, 0x30];
  const { clock, driver, stop, events, arm } = setup((command) => {
    if (command === ping) return fromHex(pong);
    const status = statuses.shift();
    return status === undefined
      ? undefined
      : encodeVivoResponse({ command: 2, status, data: new Uint8Array() });
  });
  await driver.open(stop.signal);
  const armed = arm();
  await clock.advance(5_000);
  stop.abort();
  await clock.advance(1_000);
  await armed;
  expect(events.filter((event) => event.type === 'card.error').map((event) => event.code)).toEqual([
    'BAD_READ',
    'COLLISION',
  ]);
});

test('silence after a ping is reported with advice on what to check, and a line that ends is a lost reader', async () => {
  const silent = setup(() => undefined);
  const opening = silent.driver.open(silent.stop.signal);
  const refused = expect(opening).rejects.toMatchObject({ code: 'NO_ANSWER' });
  await silent.clock.advance(1_000);
  await refused;

  const { clock, driver, stop, events, arm, far } = setup((command) =>
    command === ping ? fromHex(pong) : undefined,
  );
  await driver.open(stop.signal);
  const armed = arm();
  await clock.advance(100);
  await far.close();
  await armed;
  expect(events.map((event) => event.type)).toEqual(['reader.lost']);
});

test('an answer that arrived while the program was held up is accepted, however long that was', async () => {
  const clock = new StallingClock();
  const [near, far] = createMemoryLine();
  const driver = new Vivotech2Driver(near, {
    clock,
    random: makeSeededRandom(1),
    fingerprintKey: new Uint8Array(16),
  });
  const sent: string[] = [];
  far.onData((bytes) => sent.push(toHex(bytes)));
  const opened = driver.open(new AbortController().signal);
  clock.stall(3_000);
  await far.write(fromHex(pong));
  expect(await opened).toMatchObject({ driver: 'vivotech2' });
  expect(sent).toEqual([ping]);
});
