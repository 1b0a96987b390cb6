import type { WebhookAttemptRow, WebhookDeliveryRow } from '../store/rows/webhooks.ts';
import type { Posted } from './post.ts';

/** The result of an attempt. */
interface Attempted<Is extends string> {
  readonly is: Is;
  readonly by: WebhookAttemptRow['by'];
  readonly why: string;
}

/** The inputs of a delivery. */
export type Input =
  /** The receiver answered 2xx. */
  | Attempted<'taken'>
  /** It answered otherwise, or not at all. */
  | Attempted<'refused'>
  /** It answered 410: it wants no events any more. */
  | Attempted<'gone'>
  /** An attempt was to begin, and the webhook was deleted or disabled. */
  | { readonly is: 'unwanted' }
  /** A test lets the attempt begin later (B290). */
  | { readonly is: 'putOff'; readonly forMs: number; readonly why: string };

/** The facts that a decision needs besides the delivery: the time, and the random numbers of the schedule. */
interface Facts {
  readonly now: number;
  /** How long after the try of this number the next one comes, in milliseconds; undefined after the last. */
  retryInMs(tries: number): number | undefined;
}

/** The effects of a step, done once it is on disk. */
export type Effect =
  /** Notes in the journal that the delivery has failed. */
  | { readonly do: 'journalFailure'; readonly why: string }
  | { readonly do: 'disableWebhook'; readonly why: string };

/** The result of an input: the changes of the delivery, and their effects. */
interface Step {
  readonly set: Partial<WebhookDeliveryRow>;
  readonly effects: readonly Effect[];
}

type Transition<I> = (delivery: WebhookDeliveryRow, input: I, facts: Facts) => Step;
type InputsIn = { [I in Input['is']]: Transition<Extract<Input, { is: I }>> };
type AnyAttempt = Attempted<string>;

const nothing = (): Step => step({});

/** The life of a delivery from attempt to attempt: a transition for each input in each state (B107). */
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

/** Decides what an input does to a delivery. It is pure except for the dice, so it can decide again if another attempt came between. */
export function decide(delivery: WebhookDeliveryRow, input: Input, facts: Facts): Step {
  return (lifecycle[delivery.state][input.is] as Transition<Input>)(delivery, input, facts);
}

/** Makes the input of an attempt from the result of its POST. */
export function attempted(by: WebhookAttemptRow['by'], { status, error }: Posted): Input {
  const why = error ?? `the receiver answered ${status}`;
  if (error === undefined && status !== undefined && status >= 200 && status < 300)
    return { is: 'taken', by, why };
  return { is: status === 410 ? 'gone' : 'refused', by, why };
}

function deliver(delivery: WebhookDeliveryRow, input: AnyAttempt, { now }: Facts): Step {
  const tries = triesAfter(delivery, input);
  return step({ state: 'delivered', why: input.why, tries, due_at: null, ended_at: now });
}

function tryLater(delivery: WebhookDeliveryRow, input: AnyAttempt, facts: Facts): Step {
  const tries = triesAfter(delivery, input);
  const inMs = facts.retryInMs(tries);
  if (inMs === undefined) return fail(delivery, input, facts);
  return step({ why: input.why, tries, due_at: facts.now + inMs });
}

function fail(delivery: WebhookDeliveryRow, input: AnyAttempt, { now }: Facts): Step {
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

function giveUp(_: WebhookDeliveryRow, __: Input, { now }: Facts): Step {
  const why = 'the webhook was deleted or disabled';
  return step({ state: 'failed', why, due_at: null, ended_at: now });
}

/** Puts the delivery off, on disk too: a gateway that starts meanwhile sends it at once, or at this moment. */
function putOff(
  _: WebhookDeliveryRow,
  { forMs, why }: Extract<Input, { is: 'putOff' }>,
  { now }: Facts,
): Step {
  return step({ due_at: now + forMs, why });
}

/** Only counts the attempt: the delivery had ended before it, or while it was under way, and stays as it is. */
function count(delivery: WebhookDeliveryRow, input: AnyAttempt): Step {
  return step({ tries: triesAfter(delivery, input) });
}

function failAgain(delivery: WebhookDeliveryRow, input: AnyAttempt): Step {
  const { set } = count(delivery, input);
  return step(set, { do: 'journalFailure', why: delivery.why });
}

/** An attempt by hand, or a copy, can only help: it is counted if it fails, and changes nothing else. */
function onlyHelps(bySchedule: Transition<AnyAttempt>): Transition<AnyAttempt> {
  return (delivery, input, facts) =>
    input.by === 'schedule' ? bySchedule(delivery, input, facts) : count(delivery, input);
}

function disabling(transition: Transition<AnyAttempt>): Transition<AnyAttempt> {
  return (...asked) => {
    const { set, effects } = transition(...asked);
    return step(set, ...effects, { do: 'disableWebhook', why: 'its receiver answered 410 Gone' });
  };
}

/** The number of tries after an attempt. Attempts by hand and copies do not count. */
function triesAfter({ tries }: WebhookDeliveryRow, { by }: AnyAttempt): number {
  return by === 'schedule' ? tries + 1 : tries;
}

function step(set: Step['set'], ...effects: readonly Effect[]): Step {
  return { set, effects };
}
