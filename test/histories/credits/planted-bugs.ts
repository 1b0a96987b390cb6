import { decide } from '../../../gateway/credits/core/lifecycle.ts';
import { type Input, makeStep, type Step } from '../../../gateway/credits/core/step.ts';
import type { RowChange } from '../../../gateway/store/schema.ts';
import type { PlantedBug } from '../planted-bugs.ts';
import { type CreditBugParts, noBug } from './history.ts';

/** At least one planted bug for each invariant of credits. */
export const bugsOfCredits: readonly (PlantedBug & { plant: CreditBugParts })[] = [
  {
    bug: 'a credit decides otherwise each time',
    invariant: /another decision on the same facts/,
    seed: 9,
    plant: decidesOf(unlikeBefore()),
  },
  {
    bug: 'a link that was used up can be accepted',
    invariant: /has ended and moves again/,
    seed: 16,
    plant: decidesOf((state, input, facts) =>
      state.is === 'completed' && input.is === 'accepted'
        ? decide({ is: 'initiated', credit: state.credit }, input, facts)
        : decide(state, input, facts),
    ),
  },
  {
    bug: 'the end of a credit is not told',
    invariant: /moved initiated,\S+ and told initiated$/,
    seed: 1,
    plant: deciding((decided, input) => ({ ...decided, told: input.is === 'made' })),
  },
  {
    bug: 'a credit is told with another amount',
    invariant: /is told with another amount than is on disk/,
    seed: 1,
    plant: deciding((step) =>
      step.told && step.state.is !== 'none'
        ? { ...step, state: { ...step.state, credit: { ...step.state.credit, amount: 1 } } }
        : step,
    ),
  },
  {
    bug: 'visits outlive their link',
    invariant: /has ended and is visited/,
    seed: 1,
    plant: changed((change) => ('delete' in change ? [] : [change])),
  },
  {
    bug: 'the right answer is let in where the link was used up meanwhile',
    invariant: /has ended and is visited/,
    seed: 4,
    plant: decidesOf((state, input, facts) =>
      state.is === 'completed' && input.is === 'answeredRight'
        ? { ...decide({ is: 'initiated', credit: state.credit }, input, facts), told: false }
        : decide(state, input, facts),
    ),
  },
  {
    bug: 'batches are not held to what the decision saw',
    invariant: /has ended and is visited/,
    seed: 174,
    plant: { ...noBug, versions: false },
  },
  {
    bug: 'money goes to no account',
    invariant: /is paid to nobody/,
    seed: 4,
    plant: changed((change) =>
      'update' in change && change.update === 'credits'
        ? [{ ...change, set: without(change.set, 'bank_masked') }]
        : [change],
    ),
  },
  {
    bug: 'what the bank will say is forgotten',
    invariant: /is paid though its bank refuses/,
    seed: 1,
    plant: decidesOf((state, input, facts) =>
      state.is === 'initiated'
        ? decide({ ...state, credit: { ...state.credit, refusal: null } }, input, facts)
        : decide(state, input, facts),
    ),
  },
  {
    bug: 'a link is open until its expiry is stored',
    invariant: /is paid after its time/,
    seed: 104,
    plant: decidesOf((state, input, facts) => decide(state, input, { ...facts, inTime: true })),
  },
  {
    bug: 'nobody looks at the lock',
    invariant: /is tried while locked/,
    seed: 13,
    plant: decidesOf((state, input, facts) => decide(state, input, { ...facts, lockedUntil: undefined })),
  },
  {
    bug: 'a link is never locked',
    invariant: /takes more tries than 3/,
    seed: 1,
    plant: changed((change) =>
      'update' in change && change.update === 'credits' && change.set.locked_until
        ? [{ ...change, set: { ...change.set, locked_until: null } }]
        : [change],
    ),
  },
  {
    bug: 'an end that found no room is answered as one',
    invariant: /is answered as \S+ and not on disk/,
    seed: 62,
    plant: { ...noBug, noRoom: 'applied' },
  },
  {
    bug: 'a credit that found no room is awaited',
    invariant: /is awaited and not on disk/,
    seed: 1,
    plant: { ...noBug, noRoom: 'applied' },
  },
  {
    bug: 'a refusal that is set ends the wait for the expiry',
    invariant: /is open and awaited no more/,
    seed: 1,
    plant: deciding((step, input) =>
      input.is === 'refusalSet' && step.state.is === 'initiated'
        ? { ...step, effects: [{ do: 'forgetExpiry', creditId: step.state.credit.id }] }
        : step,
    ),
  },
  {
    bug: 'what is due does not expire',
    invariant: /never ends/,
    seed: 2,
    plant: decidesOf((state, input, facts) =>
      input.is === 'due' ? makeStep(state) : decide(state, input, facts),
    ),
  },
];

function decidesOf(decides: typeof decide): CreditBugParts {
  return { ...noBug, decides };
}

function deciding(of: (step: Step, input: Input) => Step): CreditBugParts {
  return decidesOf((state, input, facts) => of(decide(state, input, facts), input));
}

function changed(of: (change: RowChange) => RowChange[]): CreditBugParts {
  return deciding((step) => ({ ...step, records: step.records.flatMap(of) }));
}

function unlikeBefore(): typeof decide {
  let decisions = 0;
  return (...asked) => ({ ...decide(...asked), refused: { is: 'locked', until: decisions++ } });
}

function without<Row extends object>(row: Row, column: keyof Row): Row {
  const { [column]: _, ...rest } = row;
  return rest as Row;
}
