import type { Clock } from '../../shared/clock.ts';
import type { LedgerEntryValueGenerator } from '../acquirer/entries.ts';
import type { SavedCardRow } from '../store/rows/saved-cards.ts';
import type { DebitFacts, StoredDebit } from './core/step.ts';

interface Now {
  clock: Pick<Clock, 'now' | 'elapsedSince'>;
  timeouts: DebitFacts['timeouts'];
}

/** Gives the values that a decision about a debit uses now. */
export function makeDebitFacts(
  stored: StoredDebit | undefined,
  card: SavedCardRow | undefined,
  { clock, timeouts }: Now,
  dice: LedgerEntryValueGenerator,
): DebitFacts {
  return { now: clock.now(), dice, inTime: isInTime(stored, clock), card, timeouts };
}

function isInTime(stored: StoredDebit | undefined, clock: Now['clock']): boolean {
  if (!stored || stored.debit.expires_at === null) return false;
  const { created_at, expires_at } = stored.debit;
  return clock.elapsedSince(created_at) < expires_at - created_at;
}
