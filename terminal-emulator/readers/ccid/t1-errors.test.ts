import { describe, expect, test } from 'vitest';
import { makeSeededRandom } from '../../../shared/random.ts';
import { VirtualClock } from '../../../shared/virtual-clock.ts';
import { CcidEmulator } from '../emulators/ccid-emulator.ts';
import type { ByteTransport, ReaderEvent } from '../reader-driver.ts';
import { createMemoryLine } from '../transport/memory-transport.fixture.ts';
import { visaCard } from '../visa-card.fixture.ts';
import { CcidDriver } from './ccid-driver.ts';
import {
  type CcidMessage,
  ccidCommandTypes,
  ccidErrors,
  ccidResponseTypes,
  decodeCcid,
  encodeCcid,
} from './ccid-message.ts';
import { gemPcFraming } from './gempc-framing.ts';

/**
 * Tests a T=1 card whose blocks are damaged on the contacts between reader and card. Only the T=1 protocol itself can
 * repeat such a block.
 */

type Tamper = (message: CcidMessage) => CcidMessage;

const withLastByteWrong: Tamper = (message) => {
  const data = Uint8Array.from(message.data);
  data[data.length - 1]! ^= 0x01;
  return { ...message, data };
};
const failing =
  (error: number): Tamper =>
  (message) => ({ ...message, parameters: [0x40, error, 0], data: new Uint8Array() });

const errors: Record<string, { toCard?: Tamper; fromCard?: Tamper }> = {
  'the card gets the block garbled, and says so': { toCard: withLastByteWrong },
  'the block of the card comes garbled': { fromCard: withLastByteWrong },
  'the reader sees a parity error': { fromCard: failing(ccidErrors.xfrParity) },
  'the reader sees more bytes than a block has': { fromCard: failing(ccidErrors.xfrOverrun) },
  'the card says nothing in its time': { fromCard: failing(ccidErrors.iccMute) },
};

/**
 * Changes `count` messages of one type with `tamper`, beginning with message number `nth` of this type. All other
 * messages pass unchanged.
 */
function tampering(type: number, nth: number, count: number, tamper: Tamper) {
  let seen = 0;
  return (bytes: Uint8Array): Uint8Array => {
    const message = decodeCcid(bytes.subarray(2, -1));
    if (message?.type !== type) return bytes;
    const tampered = seen >= nth && seen < nth + count;
    seen++;
    return tampered ? gemPcFraming.wrap(encodeCcid(tamper(message))) : bytes;
  };
}

async function readWith(
  { toCard, fromCard }: { toCard?: Tamper; fromCard?: Tamper },
  nth: number,
  count = 1,
) {
  const clock = new VirtualClock({ startMs: 0 });
  const [near, far] = createMemoryLine();
  const emulator = new CcidEmulator(far, clock, { echo: false });
  const out = toCard
    ? tampering(ccidCommandTypes.xfrBlock, nth, count, toCard)
    : (bytes: Uint8Array) => bytes;
  // The first data block carries the answer to reset, so it is not counted.
  const back = fromCard
    ? tampering(ccidResponseTypes.dataBlock, nth + 1, count, fromCard)
    : (bytes: Uint8Array) => bytes;
  const line: ByteTransport = {
    name: near.name,
    onClosed: (listener) => near.onClosed(listener),
    close: () => near.close(),
    write: (bytes) => near.write(out(bytes)),
    onData: (listener) => near.onData((bytes) => listener(back(bytes))),
  };
  const driver = new CcidDriver(line, {
    clock,
    random: makeSeededRandom(1),
    fingerprintKey: new Uint8Array(16),
  });
  const stop = new AbortController();
  const opening = driver.open(stop.signal);
  await clock.advance(400);
  await opening;
  emulator.insert(visaCard({}, 'T=1'));
  const events: ReaderEvent[] = [];
  const request = { entries: ['ICC'], amount: 100, currency: 'USD', signal: stop.signal } as const;
  const armed = driver.arm(request, (event) => events.push(event));
  await clock.advance(60_000);
  stop.abort();
  await clock.advance(1_000);
  await armed;
  return events.map((event) => (event.type === 'card.error' ? event.code : event.type));
}

/**
 * The blocks of one reading: IFS, four blocks of SELECT and READ RECORD for the directory, SELECT, GPO, three records.
 */
const blocks = 9;

describe.each(Object.entries(errors))('%s', (_what, error) => {
  test('once, twice or three times in a row causes repetitions at any block, and the card is still read', async () => {
    for (let nth = 0; nth < blocks; nth++)
      for (const times of [1, 2, 3])
        expect(await readWith(error, nth, times), `${times} times from block ${nth}`).toEqual([
          'card.present',
          'card.read',
        ]);
  });

  test('that never ends makes the chip unreadable', async () => {
    expect(await readWith(error, 2, 1_000)).toEqual(['card.present', 'BAD_READ']);
  });
});
