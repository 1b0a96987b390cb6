import type { WebhookAttemptRow, WebhookDeliveryRow } from '../store/rows/webhooks.ts';
import type { Posted } from './post.ts';

/** What came of an attempt. */
interface Attempted<Is extends string> {
  readonly is: Is;
  readonly by: WebhookAttemptRow['by'];
  readonly why: string;
}

/** What can happen to a delivery. */
export type Input =
  /** The receiver answered 2xx. */
  | Attempted<'taken'>
  /** It answered otherwise, or not at all. */
  | Attempted<'refused'>
  /** It answered 410: it wants no events any more. */
  | Attempted<'gone'>
  /** An attempt was to begin, and the webhook was deleted or disabled. */
  | { readonly is: 'unwanted' }
  /** A test has the attempt begin later (B290). */
  | { readonly is: 'putOff'; readonly forMs: number; readonly why: string };

/** What a decision stands on beside the delivery: the time, and the dice of the schedule. */
interface Facts {
  readonly now: number;
  /** So long after the try of this number the next one comes; undefined after the last. */
  retryInMs(tries: number): number | undefined;
}

/** What follows once a step is on disk. */
export type Effect =
  /** The journal says that it has failed. */
  | { readonly do: 'journalFailure'; readonly why: string }
  | { readonly do: 'disableWebhook'; readonly why: string };

/** What an input comes to: what it changes of the delivery, and what follows. */
interface Step {
  readonly set: Partial<WebhookDeliveryRow>;
  readonly effects: readonly Effect[];
}

type Transition<I> = (delivery: WebhookDeliveryRow, input: I, facts: Facts) => Step;
type InputsIn = { [I in Input['is']]: Transition<Extract<Input, { is: I }>> };
type AnyAttempt = Attempted<string>;

const nothing = (): Step => step({});

/** What each input does in each state: the life of a delivery from attempt to attempt (B107). */
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

/** What an input does to a delivery: pure but for the dice, and so decided again where another attempt came in between. */
export function decide(delivery: WebhookDeliveryRow, input: Input, facts: Facts): Step {
  return (lifecycle[delivery.state][input.is] as Transition<Input>)(delivery, input, facts);
}

/** What came of an attempt, by what was posted. */
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

/** On disk, too, it is due later: a gateway that starts meanwhile sends it at once, or at this moment. */
function putOff(
  _: WebhookDeliveryRow,
  { forMs, why }: Extract<Input, { is: 'putOff' }>,
  { now }: Facts,
): Step {
  return step({ due_at: now + forMs, why });
}

/** It has ended while the attempt was under way, or before it, and stays as it is. */
function count(delivery: WebhookDeliveryRow, input: AnyAttempt): Step {
  return step({ tries: triesAfter(delivery, input) });
}

function failAgain(delivery: WebhookDeliveryRow, input: AnyAttempt): Step {
  const { set } = count(delivery, input);
  return step(set, { do: 'journalFailure', why: delivery.why });
}

/** An attempt by hand, or a copy, only ever helps. */
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

/** Those by hand and copies do not count. */
function triesAfter({ tries }: WebhookDeliveryRow, { by }: AnyAttempt): number {
  return by === 'schedule' ? tries + 1 : tries;
}

function step(set: Step['set'], ...effects: readonly Effect[]): Step {
  return { set, effects };
}
