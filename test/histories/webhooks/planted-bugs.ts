import { decide, type Input } from '../../../gateway/webhooks/lifecycle.ts';
import type { PlantedBug } from '../planted-bugs.ts';
import { type DeliveryBugParts, noBug } from './history.ts';

type Step = ReturnType<typeof decide>;
type Row = Parameters<typeof decide>[0];

/** At least one planted bug for each invariant of webhook deliveries. */
export const bugsOfDeliveries: readonly (PlantedBug & { plant: DeliveryBugParts })[] = [
  {
    bug: 'a delivery decides otherwise each time',
    invariant: /another decision on the same facts/,
    seed: 1,
    plant: decidesOf(unlikeBefore()),
  },
  {
    bug: 'what was delivered is given up with its webhook',
    invariant: /was delivered and is failed/,
    seed: 4,
    plant: decidesOf((row, input, facts) =>
      decide(input.is === 'unwanted' ? { ...row, state: 'pending' } : row, input, facts),
    ),
  },
  {
    bug: 'an attempt that was under way takes up what was given up',
    invariant: /has failed and waits again/,
    seed: 2,
    plant: deciding((step, input, row) =>
      row.state === 'failed' && input.is === 'refused'
        ? { ...step, set: { ...step.set, state: 'pending', due_at: 1, ended_at: null } }
        : step,
    ),
  },
  {
    bug: 'what was delivered stays due',
    invariant: /is delivered and says otherwise when/,
    seed: 1,
    plant: deciding((step) => {
      const { due_at: _, ...set } = step.set;
      return step.set.state === 'delivered' ? { ...step, set } : step;
    }),
  },
  {
    bug: 'attempts by hand count',
    invariant: /was tried \d+ times and counts \d+/,
    seed: 1,
    plant: decidesOf((row, input, facts) =>
      decide(row, 'by' in input && input.by === 'hand' ? { ...input, by: 'schedule' } : input, facts),
    ),
  },
  {
    bug: 'an attempt is not stored',
    invariant: /was tried \d+ times and counts \d+/,
    seed: 1,
    plant: { ...noBug, stores: (batch) => batch.filter((change) => !('insert' in change)) },
  },
  {
    bug: 'the schedule has no end',
    invariant: /waits after \d+ tries/,
    seed: 2,
    plant: decidesOf((row, input, facts) => decide(row, input, { ...facts, retryInMs: () => 1 })),
  },
  {
    bug: 'a success by hand changes nothing',
    invariant: /is pending, and was taken: true/,
    seed: 27,
    plant: decidesOf((row, input, facts) =>
      decide(row, input.is === 'taken' && input.by === 'hand' ? { ...input, is: 'refused' } : input, facts),
    ),
  },
  {
    bug: 'what found no room is taken for stored',
    invariant: /is taken for \S+ and waits on disk/,
    seed: 7,
    plant: { ...noBug, noRoom: 'applied' },
  },
  {
    bug: 'the last failure is not told',
    invariant: /has failed and nobody says so/,
    seed: 1,
    plant: deciding((step) => without(step, 'journalFailure')),
  },
  {
    bug: 'a receiver that is gone is asked again',
    invariant: /is answered with 410 and its webhook is not disabled/,
    seed: 1,
    plant: deciding((step) => without(step, 'disableWebhook')),
  },
  {
    bug: 'what is for nobody waits on',
    invariant: /never ends/,
    seed: 9,
    plant: deciding((step, input) => (input.is === 'unwanted' ? { set: {}, effects: [] } : step)),
  },
];

function decidesOf(decides: typeof decide): DeliveryBugParts {
  return { ...noBug, decides };
}

function deciding(of: (step: Step, input: Input, row: Row) => Step): DeliveryBugParts {
  return decidesOf((row, input, facts) => of(decide(row, input, facts), input, row));
}

function without(step: Step, effect: Step['effects'][number]['do']): Step {
  return { ...step, effects: step.effects.filter(({ do: does }) => does !== effect) };
}

function unlikeBefore(): typeof decide {
  let decisions = 0;
  return (...asked) => {
    const { set, effects } = decide(...asked);
    return { set: { ...set, why: String(decisions++) }, effects };
  };
}
