import { expect, test } from 'vitest';
import { Journal } from '../../../shared/journal.ts';
import { makeSeededRandom } from '../../../shared/random.ts';
import { VirtualClock } from '../../../shared/virtual-clock.ts';
import { defaultCards } from '../../cards/default-cards.ts';
import { AttachedReader } from '../attached-reader.ts';
import type { ReaderEvent } from '../reader-driver.ts';
import { parseReaderSpec } from '../reader-spec.ts';
import { createMemoryLine } from '../transport/memory-transport.fixture.ts';
import { createEmulatedReader } from './emulated-reader.ts';

const card = defaultCards.find(({ id }) => id === 'visa-credit')!;

interface Held {
  holdMs?: number;
  /** If set, the card is held to the reader twice, and the second time begins this many ms after the first. */
  againAfterMs?: number;
}

/**
 * Holds a card to the reader. A terminal begins to look for cards `afterMs` later. Says whether the terminal reads the
 * card.
 */
async function isRead(afterMs: number, { holdMs, againAfterMs }: Held = {}): Promise<boolean> {
  const clock = new VirtualClock({ startMs: 0 });
  const emulated = createEmulatedReader({ kind: 'pn532' }, clock);
  const openLine = async () => {
    const [near, far] = createMemoryLine('line');
    emulated.connect(far);
    return near;
  };
  const reader = new AttachedReader(
    { spec: parseReaderSpec('pn532:line'), fingerprintKey: new Uint8Array(16), openLine },
    { clock, random: makeSeededRandom(1), journal: new Journal(clock) },
  );
  const events: ReaderEvent['type'][] = [];
  reader.onEvent(({ type }) => events.push(type));
  await clock.advance(1_000);
  expect(reader.status.state).toBe('ready');
  if (againAfterMs !== undefined) {
    emulated.tap(card);
    await clock.advance(againAfterMs);
  }
  emulated.tap(card, holdMs);
  await clock.advance(afterMs);
  reader.arm({ entries: ['Contactless'], amount: 100, currency: 'EUR' });
  await clock.advance(1_000);
  await Promise.all([reader.close(), clock.advance(5_000)]);
  return events.includes('card.read');
}

test('a card is at the reader for as long as it is held there, 1.5 s unless said otherwise', async () => {
  expect([await isRead(1_499), await isRead(1_501)]).toEqual([true, false]);
  const holdMs = 4_000;
  expect([await isRead(3_999, { holdMs }), await isRead(4_001, { holdMs })]).toEqual([true, false]);
});

test('a card that is held there again stays for its full time', async () => {
  const againAfterMs = 1_000;
  expect([await isRead(1_499, { againAfterMs }), await isRead(1_501, { againAfterMs })]).toEqual([
    true,
    false,
  ]);
});
