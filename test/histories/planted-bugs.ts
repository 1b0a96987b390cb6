import type { Effect } from '../../gateway/payments/core/effects.ts';
import { decide } from '../../gateway/payments/core/lifecycle.ts';
import type { Input, Step } from '../../gateway/payments/core/step.ts';
import type { RowChange } from '../../gateway/store/schema.ts';
import { isAddition } from './disk.ts';

/** A planted bug, and the seed of a history that shows it. */
export interface PlantedBug {
  bug: string;
  /** Matches the message of the invariant that the bug breaks. */
  invariant: RegExp;
  /** The seed of the first history in which the bug breaks that invariant. */
  seed: number;
}

/** Bugs in the pure core that histories of one gateway have to find. */
export const bugsOfCore: readonly (PlantedBug & { decides: typeof decide })[] = [
  {
    bug: 'a decision is another one each time',
    invariant: /another decision on the same facts/,
    seed: 2,
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
    seed: 1,
    decides: deciding((step) => ({
      ...step,
      effects: step.effects.filter(({ do: does }) => does !== 'arm'),
    })),
  },
  {
    bug: 'a reversal that fails stays counted as given back',
    invariant: /is counted as given back of \S+, and reversals give/,
    seed: 2,
    decides: deciding((step) => ({
      ...step,
      records: step.records.filter((change) => !lowersGivenBack(change)),
    })),
  },
  {
    bug: 'a reversal that fails is counted as given back no more, twice',
    invariant: /is counted as given back of \S+, and reversals give/,
    seed: 2,
    decides: deciding((step) => ({
      ...step,
      records: step.records.flatMap((change) => (lowersGivenBack(change) ? [change, change] : [change])),
    })),
  },
  {
    bug: 'what is given back has no limit',
    invariant: /took \d+, and reversals of it give/,
    seed: 5,
    decides: deciding((step) => ({ ...step, records: step.records.map(removeGivenBackLimit) })),
  },
  {
    bug: 'a reversal that a busy terminal refuses is counted as given back',
    invariant: /is counted as given back of \S+, and reversals give/,
    seed: 2,
    decides: deciding((step) => ({ ...step, records: countRefusedReversals(step.records) })),
  },
  {
    bug: 'a reversal that fails keeps what the host has given back',
    invariant: /reported null, moved \d+/,
    seed: 1,
    decides: deciding((step) => ({
      ...step,
      records: step.records.filter((change) => entryIn(change) !== 'returned'),
    })),
  },
  {
    bug: 'an answer to a payment ends a reversal',
    invariant: /is a reversal, and is told by an answer to another kind/,
    seed: 166,
    decides: asPayments('answered'),
  },
  {
    bug: 'the host takes money where a reversal gives it',
    invariant: /is a reversal, and the host has authorized it/,
    seed: 61,
    decides: asPayments('hostAsked'),
  },
  {
    bug: 'a reversal is sent as a payment',
    invariant: /is sent as a payment, and is another on disk/,
    seed: 1,
    decides: deciding((step) => ({ ...step, effects: step.effects.map(sentAsPayment) })),
  },
];

/** Makes a bug: when the core handles an input of this kind, it treats a reversal as a payment. */
function asPayments(is: Input['is']): typeof decide {
  return (state, input, facts) => {
    if (state.is === 'none' || input.is !== is) return decide(state, input, facts);
    return decide({ ...state, payment: { ...state.payment, kind: 'payment' } }, input, facts);
  };
}

function sentAsPayment(effect: Effect): Effect {
  if (effect.do !== 'deliver') return effect;
  return { ...effect, payment: { ...effect.payment, kind: 'payment' } };
}

function unlikeBefore(): typeof decide {
  let decisions = 0;
  return (...asked) => ({ ...decide(...asked), outcomes: [{ clear: String(decisions++) }] });
}

function deciding(of: (step: Step) => Step): typeof decide {
  return (...asked) => of(decide(...asked));
}

function twice(change: RowChange): RowChange[] {
  return 'insert' in change && change.insert === 'payments' ? [change, change] : [change];
}

function toldTwice(effect: Effect): Effect[] {
  return effect.do === 'answer' ? [effect, effect] : [effect];
}

function closes(change: RowChange): boolean {
  return 'delete' in change && change.delete === 'open_payments';
}

function ofOther(change: RowChange): RowChange {
  if (!('update' in change) || change.update !== 'open_payments') return change;
  return { ...change, where: { ...change.where, refusals: 99 } };
}

/** Whether a change lowers the amount given back. */
export function lowersGivenBack(change: RowChange): boolean {
  return isAddition(change) && change.by < 0;
}

export function removeGivenBackLimit(change: RowChange): RowChange {
  return isAddition(change) ? { ...change, atMost: Number.MAX_SAFE_INTEGER } : change;
}

/**
 * Returns the batch with a planted bug: the batch also counts the amount of a reversal that was refused at once as
 * given back.
 */
export function countRefusedReversals(batch: readonly RowChange[]): readonly RowChange[] {
  const row = batch.flatMap((change) =>
    'insert' in change && change.insert === 'payments' ? [change.row] : [],
  )[0];
  const ends = batch.some((change) => 'insert' in change && change.insert === 'payment_results');
  if (!ends || !row || row.original_id == null) return batch;
  const where = { original_id: row.original_id };
  return [
    ...batch,
    { add: 'given_back', where, to: 'amount', by: row.amount, atMost: Number.MAX_SAFE_INTEGER },
  ];
}

function entryIn(change: RowChange): string | undefined {
  return 'insert' in change && change.insert === 'ledger' ? change.row.kind : undefined;
}
