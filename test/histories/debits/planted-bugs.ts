import { decide } from '../../../gateway/saved-cards/core/lifecycle.ts';
import type { Input, Step, StoredDebit } from '../../../gateway/saved-cards/core/step.ts';
import type { RowChange } from '../../../gateway/store/schema.ts';
import type { PlantedBug } from '../planted-bugs.ts';
import { type DebitBugParts, noBug } from './history.ts';

/** At least one planted bug for each invariant of debits and refunds. */
export const bugsOfDebits: readonly (PlantedBug & { plant: DebitBugParts })[] = [
  {
    bug: 'a debit decides otherwise each time',
    invariant: /another decision on the same facts/,
    seed: 3,
    plant: decidesOf(unlikeBefore()),
  },
  {
    bug: 'a debit that was released is paid after all',
    invariant: /has ended and moves again/,
    seed: 13,
    plant: deciding((step, input) =>
      input.is === 'captureAsked' && step.stored?.debit.state === 'voided' ? paidAfterAll(step) : step,
    ),
  },
  {
    bug: 'the issuer gives back twice what is refunded',
    invariant: /took \d+ and gives \d+ back/,
    seed: 1,
    plant: changed((change) => (isEntry(change, 'refunded') ? [doubled(change)] : [change])),
  },
  {
    bug: 'a debit is captured twice',
    invariant: /authorized 1 times, captured 2 times/,
    seed: 1,
    plant: changed((change) => (isEntry(change, 'captured') ? [change, change] : [change])),
  },
  {
    bug: 'a debit is authorized twice',
    invariant: /authorized 2 times, captured \d times/,
    seed: 1,
    plant: changed((change) => (isEntry(change, 'authorized') ? [change, change] : [change])),
  },
  {
    bug: 'batches are not held to what the decision saw',
    invariant: /has more refunds than was taken/,
    seed: 17,
    plant: { ...noBug, versions: false },
  },
  {
    bug: 'what is refunded is not counted',
    invariant: /has more refunds than was taken/,
    seed: 1,
    plant: onOther((stored, input) => (input.is === 'ordered' ? { ...stored, refunds: [] } : stored)),
  },
  {
    bug: 'what runs out stays held at the issuer',
    invariant: /is voided, and \d+ are held and 0 captured/,
    seed: 2,
    plant: changed((change) => (isEntry(change, 'reversed') ? [] : [change])),
  },
  {
    bug: 'what the bank rejects stays moved',
    invariant: /refund \S+ is failed, and \d+ are moved/,
    seed: 3,
    plant: changed((change) => (isEntry(change, 'returned') ? [] : [change])),
  },
  {
    bug: 'an authorization can be captured until its release is stored',
    invariant: /is captured after its time/,
    seed: 130,
    plant: decidesOf((stored, input, facts) => decide(stored, input, { ...facts, inTime: true })),
  },
  {
    bug: 'a refund that failed is sent after all',
    invariant: /refund \S+ was failed and is submitted/,
    seed: 1,
    plant: deciding((step, input) => (step.refused?.is === 'over' ? sentAfterAll(step, input) : step)),
  },
  {
    bug: 'a refund goes on whatever moment was meant',
    invariant: /goes on before its moment/,
    seed: 43,
    plant: decidesOf((stored, input, facts) => decide(stored, atAnyMoment(stored, input), facts)),
  },
  {
    bug: 'nobody looks whether a debit is closed to refunds',
    invariant: /is closed and refunded/,
    seed: 32,
    plant: limitedBy({ closed_at: null }),
  },
  {
    bug: 'nobody looks at what is blocked',
    invariant: /has \d+ blocked, and \d+ refunded/,
    seed: 3,
    plant: limitedBy({ blocked_amount: 0 }),
  },
  {
    bug: 'a capture is not told',
    invariant: /moved preauthorized,paid and told preauthorized$/,
    seed: 1,
    plant: deciding((step, input) => (input.is === 'captureAsked' ? { ...step, told: undefined } : step)),
  },
  {
    bug: 'the end of a refund is not told',
    invariant: /moved processing,failed and told processing$/,
    seed: 1,
    plant: deciding((step, input) => (input.is === 'failAsked' ? { ...step, told: undefined } : step)),
  },
  {
    bug: 'a refund is told with another amount',
    invariant: /is processing and told with another amount than is on disk/,
    seed: 1,
    plant: deciding((step) =>
      step.told === 'refund' && step.refund ? { ...step, refund: { ...step.refund, amount: 1 } } : step,
    ),
  },
  {
    bug: 'a gateway alone remembers a block that is not on disk',
    invariant: /is kept otherwise than it is on disk/,
    seed: 4,
    plant: deciding((step, input) => (input.is === 'blockAsked' ? { ...step, records: [] } : step)),
  },
  {
    bug: 'debits are there for everybody',
    invariant: /a stranger moves/,
    seed: 30,
    plant: decidesOf((stored, input, facts) => decide(stored, ofOwner(stored, input), facts)),
  },
  {
    bug: 'an end that found no room is answered as one',
    invariant: /is answered as \S+ and not on disk/,
    seed: 5,
    plant: { ...noBug, noRoom: 'applied' },
  },
  {
    bug: 'a debit that found no room is awaited',
    invariant: /is awaited and not on disk/,
    seed: 2,
    plant: { ...noBug, noRoom: 'applied' },
  },
  {
    bug: 'who blocks a part of a debit ends the wait for its release',
    invariant: /goes on by itself and is awaited no more/,
    seed: 2,
    plant: deciding((step, input) =>
      input.is === 'blockAsked' && step.stored
        ? { ...step, effects: [{ do: 'forgetExpiry', debitId: step.stored.debit.id }] }
        : step,
    ),
  },
  {
    bug: 'what is due is not released',
    invariant: /never ends/,
    seed: 2,
    plant: deciding((step, input, stored) =>
      input.of === 'debit' && input.is === 'due' ? nothingOf(stored) : step,
    ),
  },
  {
    bug: 'a refund that is due does not go on',
    invariant: /refund \S+ never goes on/,
    seed: 1,
    plant: deciding((step, input, stored) =>
      input.of === 'refund' && input.is === 'due' ? nothingOf(stored) : step,
    ),
  },
];

function decidesOf(decides: typeof decide): DebitBugParts {
  return { ...noBug, decides };
}

function deciding(of: (step: Step, input: Input, stored: StoredDebit | undefined) => Step): DebitBugParts {
  return decidesOf((stored, input, facts) => of(decide(stored, input, facts), input, stored));
}

function changed(of: (change: RowChange) => RowChange[]): DebitBugParts {
  return deciding((step) => ({ ...step, records: step.records.flatMap(of) }));
}

/** Makes a bug: the decision is made from a changed copy of the stored debit. */
function onOther(of: (stored: StoredDebit, input: Input) => StoredDebit): DebitBugParts {
  return decidesOf((stored, input, facts) => decide(stored && of(stored, input), input, facts));
}

function limitedBy(limit: Partial<StoredDebit['limit']>): DebitBugParts {
  return onOther((stored, input) =>
    input.is === 'ordered' && stored.limit ? { ...stored, limit: { ...stored.limit, ...limit } } : stored,
  );
}

function unlikeBefore(): typeof decide {
  let decisions = 0;
  return (...asked) => ({ ...decide(...asked), refused: { is: 'closed', reason: String(decisions++) } });
}

function isEntry(change: RowChange, kind: string): boolean {
  return 'insert' in change && change.insert === 'ledger' && change.row.kind === kind;
}

function doubled(change: RowChange): RowChange {
  if (!('insert' in change) || change.insert !== 'ledger') return change;
  return { ...change, row: { ...change.row, amount: 10 * change.row.amount } };
}

function nothingOf(stored: StoredDebit | undefined): Step {
  return { stored, entries: [], records: [], effects: [] };
}

function paidAfterAll({ stored }: Step): Step {
  const where = { id: stored?.debit.id, state: 'voided' } as const;
  return { ...nothingOf(stored), records: [{ update: 'debits', where, set: { state: 'paid' } }] };
}

function sentAfterAll(step: Step, input: Input): Step {
  if (input.is !== 'submitAsked' || step.refund?.status !== 'failed') return step;
  const { id } = step.refund;
  const set = { status: 'submitted' } as const;
  return { ...nothingOf(step.stored), records: [{ update: 'refunds', where: { id }, set }] };
}

function atAnyMoment(stored: StoredDebit | undefined, input: Input): Input {
  if (input.of !== 'refund' || input.is !== 'due') return input;
  const refund = stored?.refunds.find(({ id }) => id === input.id);
  return refund?.due_at == null ? input : { ...input, dueAt: refund.due_at };
}

function ofOwner(stored: StoredDebit | undefined, input: Input): Input {
  if (!('caller' in input) || !stored) return input;
  const { account_id: accountId, environment } = stored.debit;
  return { ...input, caller: { accountId, environment } };
}
