import type { WebhookAttemptRow, WebhookDeliveryRow } from '../store/rows/webhooks.ts';
import type { PostResult } from './post.ts';

/** An attempt was made, with this result. */
interface Attempted<Is extends string> {
  readonly is: Is;
  readonly by: WebhookAttemptRow['by'];
  readonly why: string;
}

/** An input: something that happens to a delivery. */
export type Input =
  /** The receiver answered with 2xx. */
  | Attempted<'taken'>
  /** The receiver answered with another status or gave no answer. */
  | Attempted<'refused'>
  /** The receiver answered 410, which means that it wants no more events. */
  | Attempted<'gone'>
  /** The webhook was deleted or disabled before the attempt began. */
  | { readonly is: 'unwanted' }
  /** The attempt is delayed by a fault that a test has set (B290). */
  | { readonly is: 'putOff'; readonly forMs: number; readonly why: string };

/** The values that a decision uses in addition to the delivery: the time, and the schedule with its random numbers. */
interface DeliveryFacts {
  readonly now: number;
  /** Gives the delay in ms between the attempt with this number and the next one; undefined after the last attempt. */
  retryInMs(tries: number): number | undefined;
}

/** An action that is carried out after a step was stored. */
export type Effect =
  /** Writes to the journal that the delivery has failed. */
  | { readonly do: 'journalFailure'; readonly why: string }
  | { readonly do: 'disableWebhook'; readonly why: string };

/** The result of a decision: how the delivery changes, and the effects that are carried out after that. */
interface Step {
  readonly set: Partial<WebhookDeliveryRow>;
  readonly effects: readonly Effect[];
}

type Transition<I> = (delivery: WebhookDeliveryRow, input: I, facts: DeliveryFacts) => Step;
type InputsIn = { [I in Input['is']]: Transition<Extract<Input, { is: I }>> };
type AnyAttempt = Attempted<string>;

const nothing = (): Step => step({});

/** The life of a delivery: for each state, how each input is handled (B107). */
export const lifecycle: { [S in WebhookDeliveryRow['state']]: InputsIn } = {
  pending: {
    taken: deliver,
    refused: onlyHelps(tryLater),
    gone: disabling(onlyHelps(fail)),
    unwanted: giveUp,
    putOff,
  },
  delivered: {
    taken: deliver,
    refused: count,
    gone: disabling(count),
    unwanted: nothing,
    putOff: nothing,
  },
  failed: {
    taken: deliver,
    refused: failAgain,
    gone: disabling(failAgain),
    unwanted: nothing,
    putOff: nothing,
  },
};

/**
 * Decides what an input does to a delivery. This function only computes the changes. So it can be called again if
 * another attempt has changed the delivery meanwhile.
 */
export function decide(delivery: WebhookDeliveryRow, input: Input, facts: DeliveryFacts): Step {
  return (lifecycle[delivery.state][input.is] as Transition<Input>)(delivery, input, facts);
}

/** Turns the result of an attempt's POST into the input that tells the delivery about this attempt. */
export function makeAttemptInput(by: WebhookAttemptRow['by'], { status, error }: PostResult): Input {
  const why = error ?? `the receiver answered ${status}`;
  if (error === undefined && status !== undefined && status >= 200 && status < 300)
    return { is: 'taken', by, why };
  return { is: status === 410 ? 'gone' : 'refused', by, why };
}

function deliver(delivery: WebhookDeliveryRow, input: AnyAttempt, { now }: DeliveryFacts): Step {
  const tries = triesAfter(delivery, input);
  return step({ state: 'delivered', why: input.why, tries, due_at: null, ended_at: now });
}

function tryLater(delivery: WebhookDeliveryRow, input: AnyAttempt, facts: DeliveryFacts): Step {
  const tries = triesAfter(delivery, input);
  const inMs = facts.retryInMs(tries);
  if (inMs === undefined) return fail(delivery, input, facts);
  return step({ why: input.why, tries, due_at: facts.now + inMs });
}

function fail(delivery: WebhookDeliveryRow, input: AnyAttempt, { now }: DeliveryFacts): Step {
  const { why } = input;
  const set = {
    state: 'failed',
    why,
    tries: triesAfter(delivery, input),
    due_at: null,
    ended_at: now,
  } as const;
  return step(set, { do: 'journalFailure', why });
}

function giveUp(_: WebhookDeliveryRow, __: Input, { now }: DeliveryFacts): Step {
  const why = 'the webhook was deleted or disabled';
  return step({ state: 'failed', why, due_at: null, ended_at: now });
}

/**
 * Delays the delivery, in memory and on disk. A gateway that starts during the delay sends the delivery either at once
 * or at the end of the delay.
 */
function putOff(
  _: WebhookDeliveryRow,
  { forMs, why }: Extract<Input, { is: 'putOff' }>,
  { now }: DeliveryFacts,
): Step {
  return step({ due_at: now + forMs, why });
}

/** Counts the attempt if the schedule demanded it. Nothing else about the delivery changes. */
function count(delivery: WebhookDeliveryRow, input: AnyAttempt): Step {
  return step({ tries: triesAfter(delivery, input) });
}

function failAgain(delivery: WebhookDeliveryRow, input: AnyAttempt): Step {
  const { set } = count(delivery, input);
  return step(set, { do: 'journalFailure', why: delivery.why });
}

/**
 * Makes a transition for failed attempts. If the schedule demanded the attempt, `bySchedule` handles it. If the attempt
 * was made by hand, or sent an extra copy because of a fault, the delivery does not change.
 */
function onlyHelps(bySchedule: Transition<AnyAttempt>): Transition<AnyAttempt> {
  return (delivery, input, facts) =>
    input.by === 'schedule' ? bySchedule(delivery, input, facts) : count(delivery, input);
}

function disabling(transition: Transition<AnyAttempt>): Transition<AnyAttempt> {
  return (...asked) => {
    const { set, effects } = transition(...asked);
    return step(set, ...effects, { do: 'disableWebhook', why: 'the receiver answered 410 Gone' });
  };
}

/**
 * Gives the number of tries so far, including this attempt. Attempts by hand, and extra copies that were sent because
 * of a fault, are not counted.
 */
function triesAfter({ tries }: WebhookDeliveryRow, { by }: AnyAttempt): number {
  return by === 'schedule' ? tries + 1 : tries;
}

function step(set: Step['set'], ...effects: readonly Effect[]): Step {
  return { set, effects };
}
