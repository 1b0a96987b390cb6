import type { JournalEntry } from '../../shared/journal.ts';
import type { MomentNameOrAlias } from '../../shared/moments.ts';
import type { Exploration } from '../exploration.ts';
import type { RunRecord } from '../run/run-record.ts';

/**
 * The sign by which explore knows that a run reached a situation. The sign is an HTTP status that the POS received, a
 * moment that the run passed, or a kind of journal entry.
 */
type Place = { told: string } | { moments: readonly MomentNameOrAlias[] } | { journal: JournalEntry['kind'] };

/** The situations that can occur in a sale at a terminal. */
const places: Readonly<Record<string, Place>> = {
  '303': { told: '303' },
  '202': { told: '202' },
  'a tip': { moments: ['tip'] },
  'a choice of applications': { moments: ['applicationChoice'] },
  'a second attempt to read the card': {
    moments: ['chipUnreadable', 'swipeInstead', 'insertInstead', 'cardUnreadable'],
  },
  'a typed card number': { moments: ['keyedNumber'] },
  'a PIN': { moments: ['pin'] },
  'a wrong PIN': { moments: ['pinWrong'] },
  'a decline': { journal: 'ledger.declined' },
  'an abort': { journal: 'payment.abortRequested' },
  'a payment that the host reversed': { journal: 'ledger.reversed' },
};

/**
 * Names the situations that no run reached. Returns no names if no run had a payment at a terminal, or if the user
 * chose the schedules to run.
 */
export function findUnreachedSituations({
  plain,
  explored,
  isPart,
}: Pick<Exploration, 'plain' | 'explored' | 'isPart'>): string[] {
  if (isPart) return [];
  const runs: RunRecord[] = [plain, ...explored.map(({ run }) => run)];
  if (!runs.some(({ passed }) => passed.has('screens'))) return [];
  return Object.entries(places).flatMap(([words, place]) => {
    const isReached = ({ requests, passed, entries }: RunRecord) => {
      if ('told' in place) return requests.some(({ told }) => told === place.told);
      if ('moments' in place) return place.moments.some((moment) => passed.has(moment));
      return entries.some(({ kind }) => kind === place.journal);
    };
    return runs.some(isReached) ? [] : [words];
  });
}
