import type { Effect } from '../../../gateway/payments/core/effects.ts';
import type { PaymentOutcome } from '../../../gateway/payments/core/outcome.ts';
import { noPayment } from '../../../gateway/payments/core/states.ts';
import { makeStep } from '../../../gateway/payments/core/step.ts';
import type { RowChange } from '../../../gateway/store/schema.ts';
import {
  countRefusedReversals,
  lowersGivenBack,
  type PlantedBug,
  removeGivenBackLimit,
} from '../planted-bugs.ts';
import type { TwoOwnersBugParts } from './plant.ts';

/** At least one planted bug for each invariant of the disk, of effects and of messages between gateways. */
export const bugsOfTwoOwners: readonly (PlantedBug & { plant: TwoOwnersBugParts })[] = [
  {
    bug: 'a second authorization does not replace the first',
    invariant: /2 authorizations of \S+ stand/,
    seed: 78,
    plant: without((change) => isLedger(change, 'reversed') && ruleOf(change) === 'replaced'),
  },
  {
    bug: 'a payment that fails keeps its authorization',
    invariant: /reported null, moved 2500/,
    seed: 30,
    plant: without((change) => isLedger(change, 'reversed') && ruleOf(change) === 'reversal'),
  },
  {
    bug: 'a concluded payment stays open',
    invariant: /is concluded and open/,
    seed: 1,
    plant: without((change) => 'delete' in change && change.delete === 'open_payments'),
  },
  {
    bug: 'a failure is stored as a success',
    invariant: /is reported as success at null/,
    seed: 1,
    plant: changed((change) =>
      'insert' in change && change.insert === 'payment_results'
        ? { ...change, row: { ...change.row, result: 'success' } }
        : change,
    ),
  },
  {
    bug: 'a payment is accepted without being open',
    invariant: /is neither open nor concluded/,
    seed: 1,
    plant: without((change) => 'insert' in change && change.insert === 'open_payments'),
  },
  {
    bug: 'the database lets a terminal have two open payments',
    invariant: /2 payments are open on one terminal/,
    seed: 2,
    plant: { without: 'constraint' },
  },
  {
    bug: 'the database stores the end of a payment that is over',
    invariant: /payment_results has \S+ already/,
    seed: 18,
    plant: { without: 'version' },
  },
  {
    bug: 'the database changes what is not open any more',
    invariant: /no open payment \S+ to update/,
    seed: 1,
    plant: { without: 'version' },
  },
  {
    bug: 'a delivery is not written',
    invariant: /is sent and not on disk as delivered/,
    seed: 1,
    plant: changed((change) => {
      if ('update' in change && change.update === 'open_payments' && change.set.delivered_at)
        return { ...change, set: { ...change.set, delivered_at: null } };
      if (!('insert' in change) || change.insert !== 'open_payments') return change;
      return { ...change, row: { ...change.row, delivered_at: null } };
    }),
  },
  {
    bug: 'what another gateway offers is taken without holding its row',
    invariant: /is sent with another amount than is on disk/,
    seed: 648,
    plant: without((change) => 'hold' in change && change.hold === 'payments'),
  },
  {
    bug: 'an abort is not written',
    invariant: /an abort of \S+ is sent and not on disk/,
    seed: 1,
    plant: changed((change) =>
      'update' in change && change.update === 'open_payments' && change.set.abort_requested_at
        ? { ...change, set: { ...change.set, abort_requested_at: null } }
        : change,
    ),
  },
  {
    bug: 'effects come before the commit',
    invariant: /is answered and not on disk/,
    seed: 11,
    plant: {
      gateway: ({ shared: { engine } }) => {
        const guard = engine.partition.guard.bind(engine.partition);
        engine.partition.guard = (key, step) => {
          engine.effects.run(step.effects);
          return guard(key, step);
        };
      },
    },
  },
  {
    bug: 'an outcome is told that is not the stored one',
    invariant: /is answered and not on disk/,
    seed: 1,
    plant: effects((effect) =>
      effect.do === 'answer' ? [{ ...effect, outcome: another(effect.outcome) }] : [effect],
    ),
  },
  {
    bug: 'what is refused is done all the same',
    invariant: /an approval of \S+ is sent and not on disk/,
    seed: 145,
    plant: { refused: () => ({ is: 'applied' }) },
  },
  {
    bug: 'a refused acceptance is acknowledged',
    invariant: /is acknowledged and not on disk/,
    seed: 2,
    plant: { refused: (batch) => (accepts(batch) ? { is: 'applied' } : undefined) },
  },
  {
    bug: 'batches are not held to the owner',
    invariant: /is sent by a gateway that did not have its terminal/,
    seed: 2,
    plant: without((change) => 'hold' in change && change.hold === 'terminal_owners'),
  },
  {
    bug: 'the end of a payment is told twice',
    invariant: /is concluded twice/,
    seed: 1,
    plant: effects((effect) => (effect.do === 'answer' ? [effect, effect] : [effect])),
  },
  {
    bug: 'a busy refusal is answered otherwise than it is stored',
    invariant: /is told otherwise than it is stored/,
    seed: 2,
    plant: {
      gateway: ({ shared: { engine } }) => {
        const take = engine.take.bind(engine);
        engine.take = async (...asked) => {
          const taken = await take(...asked);
          const { concluded } = taken;
          return concluded
            ? { ...taken, concluded: { ...concluded, outcome: another(concluded.outcome) } }
            : taken;
        };
      },
    },
  },
  {
    bug: 'a lost payment is not given up',
    invariant: /a payment never concludes/,
    seed: 2,
    plant: effects((effect) => (effect.do === 'arm' && effect.timer === 'giveUp' ? [] : [effect])),
  },
  {
    bug: 'a payment that is not delivered does not end at the cap',
    invariant: /a payment never concludes/,
    seed: 3,
    plant: effects((effect) => (effect.do === 'arm' && effect.timer === 'cap' ? [] : [effect])),
  },
  {
    bug: 'what is taken up is not begun again',
    invariant: /a payment never concludes/,
    seed: 3,
    plant: {
      gateway: ({ shared: { engine } }) => {
        const take = engine.take.bind(engine);
        engine.take = (key, subject, input) =>
          input.is === 'recovered' ? makeStep(noPayment) : take(key, subject, input);
      },
    },
  },
  {
    bug: 'what is taken up is not kept',
    invariant: /the input recovered is impossible for a payment that is none/,
    seed: 1,
    plant: {
      gateway: ({ open }) => {
        open.install = () => {};
      },
    },
  },
  {
    bug: 'a gateway does not look whether an idle terminal is still its own',
    invariant: /does not come to the connected terminal/,
    seed: 99,
    plant: {
      gateway: ({ links }) => {
        links.connectedTerminals = () => [];
      },
    },
  },
  {
    bug: 'aborts are not sent',
    invariant: /the abort of \S+ does not come to the terminal/,
    seed: 1,
    plant: effects((effect) => (effect.do === 'abort' ? [] : [effect])),
  },
  {
    bug: 'what the terminal answers is not taken',
    invariant: /does not succeed although all is well/,
    seed: 1,
    plant: {
      gateway: ({ links }) => {
        const { received } = links.handlers;
        links.handlers.received = (terminal, message, link) =>
          message.kind === 'PaymentResponse' ? undefined : received(terminal, message, link);
      },
    },
  },
  {
    bug: 'a payment is sent twice',
    invariant: /is sent as if it were new twice/,
    seed: 1,
    plant: effects((effect) => (effect.do === 'deliver' ? [effect, effect] : [effect])),
  },
  {
    bug: 'a link throws when something is sent over it',
    invariant: /a step of a payment failed: Error: not sent/,
    seed: 1,
    plant: {
      gateway: ({ links }) => {
        links.send = () => {
          throw new Error('not sent');
        };
      },
    },
  },
  {
    bug: 'nobody looks for what became of payments that other gateways run',
    invariant: /the outcome of \S+ is never answered/,
    seed: 2,
    plant: { gateway: ({ waiting }) => void Object.defineProperty(waiting, 'payments', { value: [] }) },
  },
  {
    bug: 'what two gateways give back at once has no limit',
    invariant: /took \d+, and reversals of it give/,
    seed: 67,
    plant: changed(removeGivenBackLimit),
  },
  {
    bug: 'a reversal that fails at either gateway stays counted as given back',
    invariant: /is counted as given back of \S+, and reversals give/,
    seed: 2,
    plant: without(lowersGivenBack),
  },
  {
    bug: 'a reversal that fails at either gateway is counted as given back no more, twice',
    invariant: /is counted as given back of \S+, and reversals give/,
    seed: 2,
    plant: {
      batch: (batch) => batch.flatMap((change) => (lowersGivenBack(change) ? [change, change] : [change])),
    },
  },
  {
    bug: 'a reversal that is refused at a terminal of another gateway is counted as given back',
    invariant: /is counted as given back of \S+, and reversals give/,
    seed: 2,
    plant: { batch: countRefusedReversals },
  },
  {
    bug: 'what a terminal answers to a payment ends a reversal',
    invariant: /is a reversal, and is told by an answer to another kind/,
    seed: 890,
    plant: {
      gateway: ({ shared: { engine }, open }) => {
        const take = engine.take.bind(engine);
        engine.take = (key, subject, input) => {
          const state = open.byId(subject);
          const reverses = state.is !== 'none' && state.payment.kind === 'reversal';
          if (!reverses || input.is !== 'answered' || !('response' in input))
            return take(key, subject, input);
          const { response: reversal, ...answered } = input;
          return take(key, subject, { ...answered, reversal });
        };
      },
    },
  },
  {
    bug: 'the host of either gateway takes money where a reversal gives it',
    invariant: /is a (reversal|refund), and the host has authorized it/,
    seed: 122,
    plant: changed((change) =>
      'insert' in change && change.insert === 'ledger' && change.row.rule === 'otherKind'
        ? { ...change, row: { ...change.row, kind: 'authorized' } }
        : change,
    ),
  },
  {
    bug: 'a terminal that is well again is not sent reversals',
    invariant: /the reversal \S+ does not come to the terminal/,
    seed: 2,
    plant: effects((effect) =>
      effect.do === 'deliver' && effect.payment.kind === 'reversal' ? [] : [effect],
    ),
  },
  {
    bug: 'what a terminal answers to reversals is not taken',
    invariant: /the reversal \S+ does not succeed/,
    seed: 2,
    plant: {
      gateway: ({ links }) => {
        const { received } = links.handlers;
        links.handlers.received = (terminal, message, link) =>
          message.kind === 'ReversalResponse' ? undefined : received(terminal, message, link);
      },
    },
  },
];

function without(left: (change: RowChange) => boolean): TwoOwnersBugParts {
  return { batch: (batch) => batch.filter((change) => !left(change)) };
}

function changed(of: (change: RowChange) => RowChange): TwoOwnersBugParts {
  return { batch: (batch) => batch.map(of) };
}

function effects(of: (effect: Effect) => readonly Effect[]): TwoOwnersBugParts {
  return { effects: (given) => given.flatMap(of) };
}

function isLedger(change: RowChange, kind: string): boolean {
  return 'insert' in change && change.insert === 'ledger' && change.row.kind === kind;
}

function ruleOf(change: RowChange): string | undefined {
  return 'insert' in change && change.insert === 'ledger' ? change.row.rule : undefined;
}

function accepts(batch: readonly RowChange[]): boolean {
  return batch.some((change) => 'insert' in change && change.insert === 'payments');
}

function another(outcome: PaymentOutcome): PaymentOutcome {
  return { ...outcome, result: outcome.result === 'success' ? 'failure' : 'success' };
}
