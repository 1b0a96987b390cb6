import type { Effect } from '../../gateway/payments/core/effects.ts';
import { decide } from '../../gateway/payments/core/lifecycle.ts';
import type { Step } from '../../gateway/payments/core/step.ts';
import type { Change } from '../../gateway/store/schema.ts';

/** A bug, and a history that shows it. */
export interface PlantedBug {
  bug: string;
  /** What it breaks, as the histories say it. */
  invariant: RegExp;
  /** Of the first history in which it breaks that. */
  seed: number;
}

/** Bugs of the pure core, for what histories of one gateway assert. */
export const bugsOfCore: readonly (PlantedBug & { decides: typeof decide })[] = [
  {
    bug: 'a decision is another one each time',
    invariant: /another decision on the same facts/,
    seed: 1,
    decides: unlikeBefore(),
  },
  {
    bug: 'a payment is stored twice',
    invariant: /payments has \S+ already/,
    seed: 1,
    decides: deciding((step) => ({ ...step, records: step.records.flatMap(twice) })),
  },
  {
    bug: 'a payment is closed twice',
    invariant: /no open payment to delete/,
    seed: 1,
    decides: deciding((step) => ({ ...step, records: [...step.records, ...step.records.filter(closes)] })),
  },
  {
    bug: 'a batch changes a row that is not as it says',
    invariant: /another row than is stored/,
    seed: 1,
    decides: deciding((step) => ({ ...step, records: step.records.map(ofOther) })),
  },
  {
    bug: 'the end of a payment is told twice',
    invariant: /is concluded twice/,
    seed: 1,
    decides: deciding((step) => ({
      ...step,
      effects: step.effects.flatMap(toldTwice),
    })),
  },
  {
    bug: 'a lost payment is not given up',
    invariant: /a payment never concludes/,
    seed: 2,
    decides: deciding((step) => ({
      ...step,
      effects: step.effects.filter(({ do: does }) => does !== 'arm'),
    })),
  },
];

function unlikeBefore(): typeof decide {
  let decisions = 0;
  return (...asked) => ({ ...decide(...asked), outcomes: [{ clear: String(decisions++) }] });
}

function deciding(of: (step: Step) => Step): typeof decide {
  return (...asked) => of(decide(...asked));
}

function twice(change: Change): Change[] {
  return 'insert' in change && change.insert === 'payments' ? [change, change] : [change];
}

function toldTwice(effect: Effect): Effect[] {
  return effect.do === 'answer' ? [effect, effect] : [effect];
}

function closes(change: Change): boolean {
  return 'delete' in change && change.delete === 'open_payments';
}

function ofOther(change: Change): Change {
  if (!('update' in change) || change.update !== 'open_payments') return change;
  return { ...change, where: { ...change.where, refusals: 99 } };
}
