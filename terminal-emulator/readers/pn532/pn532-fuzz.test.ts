import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeSeededRandom } from '../../../shared/random.ts';
import { VirtualClock } from '../../../shared/virtual-clock.ts';
import { scaledDraws } from '../../../test/draws.ts';
import { concatBytes } from '../hex.ts';
import { type ReaderEvent, ReaderOpenError } from '../reader-driver.ts';
import { createMemoryLine } from '../transport/memory-transport.fixture.ts';
import { ackFrame, encodeFrame, Pn532FrameParser } from './frame.ts';
import { Pn532Driver } from './pn532-driver.ts';

/** Makes a driver and a chip. `reply` takes the code of a command and gives the chip's answer. */
function setup(reply: (code: number) => Uint8Array) {
  const clock = new VirtualClock({ startMs: 0 });
  const [host, device] = createMemoryLine();
  const parser = new Pn532FrameParser();
  const answered = { commands: 0, enough: () => {} };
  device.onData((bytes) => {
    for (const frame of parser.feed(bytes)) {
      if (frame.type !== 'data') continue;
      if (++answered.commands >= enoughCommands) answered.enough();
      void device.write(reply(frame.data[0] ?? 0));
    }
  });
  const driver = new Pn532Driver(host, {
    clock,
    random: makeSeededRandom(1),
    fingerprintKey: new Uint8Array(32),
  });
  return { clock, driver, answered };
}

/**
 * Opens, arms and disarms the driver. Whatever the chip answers, each of these actions has to end. The driver is
 * disarmed after a minute or after many commands, because some answers make the driver wait, and other answers make it
 * send one command after another.
 */
async function expectToEndWell(reply: (code: number) => Uint8Array): Promise<void> {
  const { clock, driver, answered } = setup(reply);
  const opened = driver.open(new AbortController().signal).catch((error) => error);
  await clock.advance(20_000);
  const info = await opened;
  if (info instanceof Error) expect(info).toBeInstanceOf(ReaderOpenError);
  const events: ReaderEvent[] = [];
  const disarm = new AbortController();
  const request = { entries: ['Contactless'], amount: 1, currency: 'EUR', signal: disarm.signal } as const;
  const armed = driver.arm(request, (event) => events.push(event));
  answered.enough = () => disarm.abort();
  await clock.advance(60_000);
  disarm.abort();
  await clock.advance(20_000);
  await armed;
  expect(clock.nextDue()).toBeUndefined();
}

const enoughCommands = 150;
const runs = { seed: 99, numRuns: scaledDraws(25) };
/**
 * The time limit, in ms. If a driver has not ended by then, the test assumes that it never ends. The limit is long
 * enough for a busy machine.
 */
const timeout = 120_000;

test('a chip that answers well-formed nonsense neither breaks nor blocks the driver', {
  timeout,
}, async () => {
  const payloads = fc.array(fc.uint8Array({ maxLength: 60 }), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(payloads, async (replies) => {
      let at = 0;
      await expectToEndWell((code) => {
        const payload = replies[at++ % replies.length] ?? new Uint8Array();
        return concatBytes(ackFrame, encodeFrame(0xd5, Uint8Array.of((code + 1) & 0xff, ...payload)));
      });
    }),
    runs,
  );
});

test('a card that answers nonsense behind a good chip neither breaks nor blocks the driver', {
  timeout,
}, async () => {
  const good: Record<number, number[]> = {
    20: [],
    2: [0x32, 1, 6, 7],
    50: [],
    82: [0],
    0: [0],
    74: [1, 1, 0, 4, 0x20, 4, 8, 1, 2, 3, 5, 0x78, 0x80, 0x70, 2],
  };
  const answers = fc.array(
    fc.tuple(
      fc.constantFrom(0x00, 0x00, 0x00, 0x40, 0x01, 0x2b),
      fc.uint8Array({ maxLength: 80 }),
      fc.boolean(),
    ),
    { minLength: 1, maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(answers, async (replies) => {
      let at = 0;
      await expectToEndWell((code) => {
        const [status, data, ok] = replies[at++ % replies.length] ?? [0, new Uint8Array(), true];
        const payload = good[code] ?? [status, ...data, ...(ok ? [0x90, 0x00] : [])];
        return concatBytes(ackFrame, encodeFrame(0xd5, Uint8Array.of((code + 1) & 0xff, ...payload)));
      });
    }),
    runs,
  );
});

test('a line with noise neither breaks nor blocks the driver', { timeout }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 8 }),
      async (noise) => {
        let at = 0;
        await expectToEndWell(() => noise[at++ % noise.length] ?? new Uint8Array());
      },
    ),
    runs,
  );
});
