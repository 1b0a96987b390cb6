import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Journal } from '../../shared/journal.ts';
import { makeSeededRandom } from '../../shared/random.ts';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { scaledDraws } from '../../test/draws.ts';
import { AttachedReader } from './attached-reader.ts';
import type { ByteTransport, CardRead } from './reader-driver.ts';
import { type HarnessReader, harnessReaders } from './reader-harness.fixture.ts';
import { parseReaderSpec } from './reader-spec.ts';
import { createMemoryLine } from './transport/memory-transport.fixture.ts';

/** Damage to one byte. `at` is the byte's position among all bytes on the line, in both directions together. */
interface Damage {
  readonly at: number;
  readonly how: 'flip' | 'drop' | 'double' | 'insert';
  readonly byte: number;
}

const longestDamage = 2_500;
const damages = fc.array(
  fc.record<Damage>({
    at: fc.nat(longestDamage),
    how: fc.constantFrom('flip', 'drop', 'double', 'insert'),
    byte: fc.integer({ min: 1, max: 255 }),
  }),
  { maxLength: 40 },
);

/**
 * Wraps the reader's end of a line, and damages the bytes at the positions in `list`. If a new line replaces the old
 * line, the count of bytes continues. After the last damage, the line works well.
 */
function damaged(inner: ByteTransport, list: readonly Damage[], count: { bytes: number }): ByteTransport {
  const byPlace = new Map(list.map((damage) => [damage.at, damage]));
  const places = list.map(({ at }) => at);
  const pass = (bytes: Uint8Array) => {
    const until = count.bytes + bytes.length;
    if (!places.some((at) => at >= count.bytes && at < until)) {
      count.bytes = until;
      return bytes;
    }
    return Uint8Array.from(
      [...bytes].flatMap((byte) => {
        const damage = byPlace.get(count.bytes++);
        if (!damage) return [byte];
        if (damage.how === 'flip') return [byte ^ damage.byte];
        if (damage.how === 'drop') return [];
        return [byte, damage.how === 'double' ? byte : damage.byte];
      }),
    );
  };
  return {
    name: inner.name,
    onClosed: (listener) => inner.onClosed(listener),
    close: () => inner.close(),
    onData: (listener) => inner.onData((bytes) => listener(pass(bytes))),
    write: (bytes) => inner.write(pass(bytes)),
  };
}

const longestMs = 60_000;
const slices = 10;

/**
 * Reads a card over a damaged line, and gives every card that was read, in order. The reader is armed for at most a
 * minute. Once the last damage is over and a card has been read, the test waits for two more steps of the clock. Then
 * it closes the reader.
 */
async function readOver(kind: HarnessReader, list: readonly Damage[]) {
  const clock = new VirtualClock({ startMs: 0 });
  const count = { bytes: 0 };
  let draw: (() => void) | undefined;
  const reader = new AttachedReader(
    {
      spec: parseReaderSpec(kind.spec('line')),
      fingerprintKey: new Uint8Array(16),
      openLine: async () => {
        const [near, far] = createMemoryLine('line');
        draw = kind.plugIn(damaged(far, list, count), clock).draw;
        return near;
      },
    },
    { clock, random: makeSeededRandom(1), journal: new Journal(clock) },
  );
  const reads: CardRead[] = [];
  reader.onEvent((event) => {
    if (event.type === 'card.read') reads.push(event.read);
  });
  reader.arm({ entries: ['ICC', 'Contactless', 'MagStripe'], amount: 100, currency: 'EUR' });
  const lastDamage = Math.max(0, ...list.map(({ at }) => at));
  for (let slice = 0, after = 0; slice < slices && after < 2; slice++) {
    if (reads.length > 0 && count.bytes > lastDamage) after++;
    draw?.();
    await clock.advance(longestMs / slices);
  }
  await Promise.all([reader.close(), clock.advance(5_000)]);
  expect(clock.nextDue()).toBeUndefined();
  return reads;
}

// The serial protocols protect their bytes with weak checksums. If a zero byte is lost or two bytes are damaged, the
// checksum may still be right, so the wrong card may be read. If only one byte is damaged, the right card has to be
// read.
test.each(Object.entries<HarnessReader>(harnessReaders))(
  'no damaged bytes between a %s and its driver make anything hang',
  { timeout: 120_000 },
  async (_name, kind) => {
    await fc.assert(
      fc.asyncProperty(damages, async (list) => {
        await readOver(kind, list);
      }),
      { seed: 5, numRuns: scaledDraws(15) },
    );
  },
);

test.each(Object.entries<HarnessReader>(harnessReaders))(
  'one damaged byte anywhere between a %s and its driver costs time, and the card is still read',
  { timeout: 120_000 },
  async (_name, kind) => {
    await fc.assert(
      fc.asyncProperty(fc.nat(1_300), fc.integer({ min: 1, max: 255 }), async (at, byte) => {
        const reads = await readOver(kind, [{ at, how: 'flip', byte }]);
        expect(reads.length).toBeGreaterThan(0);
        for (const { maskedPan } of reads) expect(maskedPan).toBe('476173 **** 0010');
      }),
      { seed: 6, numRuns: scaledDraws(25) },
    );
  },
);
