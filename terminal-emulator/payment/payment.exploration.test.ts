import { expect, test } from 'vitest';
import { type AnyTransitionDefinition, createActor, type SnapshotFrom } from 'xstate';
import { getAdjacencyMap } from 'xstate/graph';
import type { TestCardDefinition } from '../../shared/emulator/cards.ts';
import type { TerminalKey } from '../../shared/emulator/screen.ts';
import { makeTimeouts } from '../../shared/timeouts.ts';
import { testThoroughly } from '../../test/optional-programs.ts';
import { CardCatalogue } from '../cards/catalogue.ts';
import { defaultCards } from '../cards/default-cards.ts';
import { toPresentedCard } from '../cards/presented-card.ts';
import { makeUnreadableCard } from '../readers/reader-card.ts';
import { instantPacing, naturalPacing, type Pacing } from './pacing.ts';
import { makePaymentMachine, type PaymentMachine } from './payment.machine.ts';
import type { PaymentEffects, PaymentMachineEvent } from './payment-context.ts';
import {
  approvalAnswer,
  interacReversalChanges,
  makeRefusalAnswer,
  reversalChanges,
  sampleOrder,
  startMs,
} from './payment-harness.fixture.ts';
import type { TerminalOrder } from './payment-order.ts';

const testInCi = testThoroughly();

type Snapshot = SnapshotFrom<PaymentMachine>;

const natural = makePaymentMachine(naturalPacing);
const instant = makePaymentMachine(instantPacing);

const nothing = () => {};
const effects: PaymentEffects = {
  authorize: nothing,
  conclude: nothing,
  notify: nothing,
  identify: () => undefined,
  block: nothing,
  print: nothing,
};
const tray = new CardCatalogue(defaultCards);
/**
 * The test types no digit except 1. So the typed PIN is right for a card with the PIN 1111, and wrong for a card with
 * another PIN.
 */
const card = (id: string, changes: Partial<TestCardDefinition> = {}, blocked = false) =>
  toPresentedCard(
    { ...(tray.get(id) as TestCardDefinition), ...changes },
    { isBlocked: () => blocked },
    startMs,
  );
const chips = [
  card('no-pin'),
  card('offline-pin', { pin: '1111' }),
  card('offline-pin', { pin: '9999', id: 'wrong' }),
  card('online-pin', { pin: '1111' }),
  card('chip-dead'),
  card('credit-debit'),
  card('expired'),
  card('visa-credit', { id: 'blocked' }, true),
];
const orders: Partial<TerminalOrder>[] = [
  {},
  { gratuity: { fixed: [100], custom: true, maximumTotal: 1011 }, ways: ['ICC'] },
  { brands: ['jcb', 'amex'] },
  { ways: ['Contactless'], requestedMinor: 5001 },
];

const shows = ['approved', 'declined', 'cancelled', 'cardNotAccepted', 'removeCard', 'printing'];
const types = ['tip', 'customTip', 'keyedNumber', 'keyedExpiry', 'pin', 'applicationChoice'];

/**
 * The events that can happen in a state. To stay short, the test uses only one of several cards that have the same
 * effect in this state.
 */
function inputs({ value, context: { slot } }: Snapshot): PaymentMachineEvent[] {
  const state = value as string;
  const paying = state === 'waiting' ? orders : shows.includes(state) ? orders.slice(0, 2) : [];
  const begins = paying.length > 0 ? [...paying, reversalChanges, interacReversalChanges] : [];
  const keys: TerminalKey[] = types.includes(state)
    ? ['cancel', 'clear', 'enter', '1', '2']
    : ['cancel', '1'];
  const unreadable = { ...card('visa-credit'), card: makeUnreadableCard('Contactless') };
  const taps = [card('visa-credit'), card('tap-then-pin'), unreadable];
  const swipes = [card('visa-credit'), card('stripe-only'), card('stripe-dead')];
  const reads = ['presentCard', 'insertInstead', 'swipeInstead'].includes(state) ? 3 : 1;
  const answers =
    state === 'authorizing'
      ? [approvalAnswer, makeRefusalAnswer(), makeRefusalAnswer('WrongPIN')]
      : [approvalAnswer];
  return [
    ...begins.map((changes) => ({ type: 'start' as const, order: { ...sampleOrder, ...changes } })),
    ...keys.map((key) => ({ type: 'key' as const, key })),
    ...(slot ? [{ type: 'removed' as const }] : insertable(state)),
    ...taps.slice(0, reads).map((presented) => ({ type: 'tapped' as const, presented })),
    ...swipes.slice(0, reads).map((presented) => ({ type: 'swiped' as const, presented })),
    ...(state === 'identifying' ? [undefined, card('typed')] : []).map((presented) => ({
      type: 'keyed' as const,
      presented,
    })),
    ...answers.map((answer) => ({ type: 'host.answered' as const, answer })),
    { type: 'abort' },
    { type: 'power.lost' },
    ...timeouts(state),
  ];
}

function insertable(state: string): PaymentMachineEvent[] {
  const some: Record<string, typeof chips> = {
    presentCard: chips,
    chipUnreadable: chips.filter(({ card: { id } }) => id === 'chip-dead'),
    insertInstead: chips.slice(0, 2),
    tip: chips.slice(0, 1),
    authorizing: chips.slice(0, 1),
    approved: chips.slice(0, 1),
  };
  return (some[state] ?? []).map((presented) => ({ type: 'inserted', presented }));
}

/** The events with which XState triggers the delayed transitions of a state. */
function timeouts(state: string): PaymentMachineEvent[] {
  const node = natural.states[state as keyof typeof natural.states];
  return (node?.after ?? []).map(({ eventType }) => ({ type: eventType }) as unknown as PaymentMachineEvent);
}

/**
 * Identifies a situation. Two situations count as the same if the machine reacts to all later events in the same way.
 */
function situation({ value, context: c }: Snapshot): string {
  const state = value as string;
  if (shows.includes(state) || state === 'waiting')
    return JSON.stringify([value, c.slot?.card.id, c.answer?.Approved]);
  const typed = state === 'pin' ? Math.min(c.typed.length, 4) : Math.min(c.typed.length, 12);
  return JSON.stringify([
    value,
    [c.order.ways, c.order.brands, c.order.gratuity !== undefined, c.order.originalCard?.brand],
    typed,
    c.slot?.card.id,
    [c.used?.card.id, c.used?.entryMode, c.used?.application.brand],
    [c.chipFailures, c.chipFailed, c.triesLeft, c.onlinePin, c.tipTooMuch, c.tapFailure],
  ]);
}

function explore(machine: PaymentMachine, pacing: Pacing) {
  const input = { effects, pacing, timeouts: makeTimeouts() };
  const situations = Object.values(
    getAdjacencyMap(machine, { input, events: inputs, serializeState: situation as never }),
  ).map(({ state }) => state);
  const walked = new Set<AnyTransitionDefinition>();
  for (const state of situations) {
    for (const event of inputs(state)) {
      const actor = createActor(machine, {
        input,
        snapshot: state,
        clock: { setTimeout: nothing, clearTimeout: nothing },
        inspect: (inspected) => {
          if (inspected.type !== '@xstate.microstep') return;
          for (const transition of inspected._transitions) walked.add(transition);
        },
      });
      actor.start();
      actor.send(event);
      actor.stop();
    }
  }
  return { situations, walked };
}

/**
 * The transitions of the states that the machine reaches with a given pacing. If a state takes no time at this pacing,
 * it is never reached.
 */
function transitionsOf(machine: PaymentMachine, reached: Set<unknown>) {
  return Object.values(machine.states)
    .filter(({ key }) => reached.has(key) || passedThrough.includes(key))
    .flatMap((node) => [...[...node.transitions.values()].flat(), ...(node.always ?? [])]);
}
const notified = (transition: AnyTransitionDefinition) => {
  const guard = transition.guard as { type?: string; params?: unknown } | string | undefined;
  const name =
    typeof guard === 'object' ? `${guard.type} ${JSON.stringify(guard.params ?? {})}` : (guard ?? '');
  return `${transition.source.key} --${transition.eventType}[${name}]--> ${transition.target?.map(({ key }) => key) ?? '(stays)'}`;
};

const passedThrough = ['cardRead', 'checkingPin', 'ended'];
/**
 * Further states that the machine never reaches at the instant pacing, because these states take no time at that
 * pacing.
 */
const left = [
  'readingCard',
  'cardUnreadable',
  'pinWrong',
  'approved',
  'declined',
  'cancelled',
  'cardNotAccepted',
];

test.each([
  ['natural', natural, naturalPacing, passedThrough],
  ['instant', instant, instantPacing, [...passedThrough, ...left, 'printing']],
])(
  'every state of the payment can be reached, and every transition is taken at %s pacing',
  (_, machine, pacing, through) => {
    const { situations, walked } = explore(machine, pacing);
    const reached = new Set(situations.map(({ value }) => value as string));
    expect(
      Object.keys(machine.states)
        .filter((state) => !reached.has(state))
        .sort(),
    ).toEqual(through.toSorted());
    const transitions = transitionsOf(machine, reached);
    expect(transitions.filter((transition) => !walked.has(transition)).map(notified)).toEqual([]);
  },
);

testInCi('in every state, the shopper, the merchant or a timeout can end the payment', () => {
  const { situations } = explore(natural, naturalPacing);
  const endings: PaymentMachineEvent['type'][] = ['abort', 'removed', 'host.answered'];
  const stuck = situations.filter((state) => {
    const { value } = state;
    if (value === 'waiting' || value === 'removeCard' || value === 'identifying') return false;
    const node = natural.states[value as keyof typeof natural.states];
    return (
      (node?.after ?? []).length === 0 && !endings.some((type) => state.can({ type } as PaymentMachineEvent))
    );
  });
  expect(stuck.map(({ value }) => value)).toEqual([]);
});
