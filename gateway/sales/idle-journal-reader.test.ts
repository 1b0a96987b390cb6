import { expect, test } from 'vitest';
import { Journal } from '../../shared/journal.ts';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { IdleJournalReader, idleAfterMs } from './idle-journal-reader.ts';

const turns = async () => {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/**
 * Sets up a reader that reads a journal in `portions` parts.
 *
 * @param meanwhile while each of the first `meanwhile` parts is read, a new entry is added to the journal
 */
function setup(portions: number, meanwhile = 0) {
  const realClock = new VirtualClock({ startMs: 0 });
  const journal = new Journal(realClock);
  let read = 0;
  const happens = () => journal.add('warning', { message: 'w' });
  const reading = new IdleJournalReader({ realClock }, journal, () => {
    if (++read <= meanwhile) happens();
    return read < portions;
  });
  return { realClock, reading, happens, read: () => read };
}

test('stored rows are read only while nothing else happens, one portion in each turn (B362)', async () => {
  const { realClock, happens, read } = setup(3);
  for (let times = 0; times < 20; times++) {
    happens();
    await realClock.advance(idleAfterMs / 2);
    await turns();
  }
  expect(read()).toBe(0);
  await realClock.advance(idleAfterMs);
  await turns();
  expect(read()).toBe(3);
  expect(realClock.nextDue()).toBeUndefined();
});

test('the reading of stored rows pauses for new work, and continues afterwards (B362)', async () => {
  const { realClock, happens, read } = setup(5, 2);
  happens();
  for (const portions of [1, 2, 5]) {
    await realClock.advance(idleAfterMs);
    await turns();
    expect(read()).toBe(portions);
  }
  expect(realClock.nextDue()).toBeUndefined();
});

test('a reader that is stopped reads nothing more, and leaves no timer', async () => {
  const { realClock, reading, happens, read } = setup(1_000);
  happens();
  reading.stop();
  happens();
  await realClock.advance(10 * idleAfterMs);
  expect(read()).toBe(0);
  expect(realClock.nextDue()).toBeUndefined();
});
