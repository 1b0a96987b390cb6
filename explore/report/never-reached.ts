import type { NamedMoment } from '../../shared/moments.ts';
import type { Exploration } from '../exploration.ts';
import type { RunRecord } from '../run/run-record.ts';

/** What can happen in a sale at a terminal, and how a run shows that it did: a status that was told, or one of some moments. */
const places: Readonly<Record<string, { told: string } | { moments: readonly NamedMoment[] }>> = {
  '303': { told: '303' },
  '202': { told: '202' },
  'a tip': { moments: ['tip'] },
  'a choice of applications': { moments: ['applicationChoice'] },
  'a second try of the card': {
    moments: ['chipUnreadable', 'swipeInstead', 'insertInstead', 'cardUnreadable'],
  },
  'a typed card number': { moments: ['keyedNumber'] },
  'a PIN': { moments: ['pin'] },
  'a wrong PIN': { moments: ['pinWrong'] },
  'a decline': { moments: ['declined'] },
  'an abort': { moments: ['before.abort'] },
  'a reversal': { moments: ['before.reversed'] },
};

/** What no run came to, in words; nothing where no run had a payment at a terminal. */
export function neverReached({ plain, explored }: Pick<Exploration, 'plain' | 'explored'>): string[] {
  const runs: RunRecord[] = [plain, ...explored.map(({ run }) => run)];
  if (!runs.some(({ passed }) => passed.has('screens'))) return [];
  return Object.entries(places).flatMap(([words, place]) => {
    const isReached = ({ requests, passed }: RunRecord) =>
      'told' in place
        ? requests.some(({ told }) => told === place.told)
        : place.moments.some((moment) => passed.has(moment));
    return runs.some(isReached) ? [] : [words];
  });
}
