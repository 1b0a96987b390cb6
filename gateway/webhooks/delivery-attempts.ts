import type { EndInFlight } from '../../shared/in-flight.ts';
import { startStopwatch } from '../../shared/stopwatch.ts';
import { adyenResultType } from '../events/schemas.ts';
import type { EventStore } from '../events/service.ts';
import type { Deliverable } from '../events/stored-event.ts';
import { readRowById } from '../store/read-rows.ts';
import type { WebhookAttemptRow, WebhookDeliveryRow, WebhookRow } from '../store/rows/webhooks.ts';
import type { StoreParts } from '../store/store.ts';
import type { AddressRules } from './addresses.ts';
import {
  commitDeliveryInput,
  type DecidedDelivery,
  type DeliveryInputParts,
  type DeliveryInputResult,
} from './commit-delivery-input.ts';
import { makeDeliveryWakeUp } from './delivery-maker.ts';
import type { EventFault, EventFaultTracker } from './event-faults.ts';
import { makeForgedCopy, makeForgedMessage } from './forged-messages.ts';
import { type Effect, makeAttemptInput } from './lifecycle.ts';
import { type PostResult, pickJournaledFields, type postWebhookMessage } from './post.ts';
import { readDeliveryById } from './rows.ts';
import type { WebhookService } from './service.ts';
import { makeWebhookMessage, selectTimestampClock, type WebhookMessage } from './signature.ts';

/**
 * A virtual clock waits until a receiver answers. If a receiver never answered, the clock would stop forever. So the
 * clock waits for at most this many real milliseconds. After that, virtual time moves, and the attempt ends at its
 * time limit. If a receiver answers 102 Processing, virtual time moves at once.
 */
const defaultPatienceMs = 2_000;
/**
 * A test may make a delivery wait until the next delivery to the same webhook has overtaken it. If no next delivery
 * comes within this many ms, the waiting delivery is sent anyway (B291).
 */
const longestReorderWaitMs = 60_000;
const lostOnTheWay: PostResult = {
  status: undefined,
  error: 'the event was lost on its way, because a test set this fault',
  answer: undefined,
};

interface AttemptParts extends StoreParts {
  events: EventStore;
  webhooks: WebhookService;
  rules: AddressRules;
  faults: EventFaultTracker;
  post: typeof postWebhookMessage;
  /** Replaces {@link defaultPatienceMs}. */
  patienceMs?: number;
}

/** An attempt to send an event: the delivery, the event and the webhook. */
interface Attempting {
  delivery: WebhookDeliveryRow;
  event: Deliverable;
  webhook: WebhookRow;
  by: WebhookAttemptRow['by'];
  /** Called when virtual time no longer has to wait for the answer. */
  releaseTime: EndInFlight;
}

/** Says why an attempt is made: on request, or because the schedule demands it. */
type Occasion =
  | { readonly by: 'hand' }
  | {
      readonly by: 'schedule';
      /**
       * Called right before the event is sent, to check again that the attempt may begin. The faults are read from the
       * database before this check. If the database is slow, the time for the attempt may be over after this read
       * (B351).
       */
      mayBegin(): boolean;
    };

/**
 * Makes attempts to deliver events. An attempt signs the event, sends it, and stores the result. The scheduler in
 * `deliveries.ts` decides when to make an attempt.
 */
export class DeliveryAttemptRunner {
  readonly #parts: AttemptParts;
  readonly #patienceMs: number;
  readonly #inputParts: DeliveryInputParts;
  readonly #stopping = new AbortController();

  constructor(parts: AttemptParts) {
    this.#parts = parts;
    this.#patienceMs = parts.patienceMs ?? defaultPatienceMs;
    const { store, runtime } = parts;
    this.#inputParts = {
      runtime,
      read: (id) => store.read((tx) => readDeliveryById(tx, id)),
      commit: (batch) => store.commit(batch),
    };
  }

  /** Returns whether {@link stop} was called. */
  get stopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /**
   * Makes an attempt on request, and carries out the effects of the attempt's result. Gives the delivery that is on
   * disk afterwards.
   */
  byHand(deliveryId: string): Promise<DecidedDelivery | undefined> {
    return this.#makeAttempt(deliveryId, { by: 'hand' });
  }

  /**
   * Makes an attempt that the schedule demands, and carries out the effects of the attempt's result. If `mayBegin`
   * returns false, sends nothing and gives the unchanged delivery.
   */
  bySchedule(deliveryId: string, mayBegin: () => boolean): Promise<DecidedDelivery | undefined> {
    return this.#makeAttempt(deliveryId, { by: 'schedule', mayBegin });
  }

  /** Sends a message with a wrong signature. */
  probe(webhook: WebhookRow): Promise<PostResult> {
    return this.#withVirtualTimeHeld((releaseTime) =>
      this.#post(webhook, makeForgedMessage(this.#parts.runtime), releaseTime),
    );
  }

  /** Breaks off the attempts that are being made. */
  stop(): void {
    this.#stopping.abort(new Error('the gateway shuts down'));
  }

  #makeAttempt(deliveryId: string, occasion: Occasion): Promise<DecidedDelivery | undefined> {
    return this.#withVirtualTimeHeld((releaseTime) =>
      this.#readAndAttempt(deliveryId, occasion, releaseTime),
    );
  }

  async #readAndAttempt(
    deliveryId: string,
    occasion: Occasion,
    releaseTime: EndInFlight,
  ): Promise<DecidedDelivery | undefined> {
    const { by } = occasion;
    const found = await this.#read(deliveryId);
    if (!found) return undefined;
    const { delivery, event, webhook } = found;
    if (!isWanted(occasion, delivery)) return delivery;
    if (!webhook || (by === 'schedule' && webhook.disabled_at !== null))
      return (await commitDeliveryInput(this.#inputParts, delivery, { is: 'unwanted' })).delivery;
    const attempting = { delivery, event, webhook, by, releaseTime };
    if (by === 'hand') return this.#sendAndRecord(attempting);
    const fault = await this.#parts.faults.take(delivery, event);
    if (!occasion.mayBegin()) return delivery;
    return fault ? this.#attemptWithFault(fault, attempting) : this.#sendAndRecord(attempting);
  }

  /** Reads what an attempt needs. The webhook is undefined if it was deleted. */
  async #read(
    deliveryId: string,
  ): Promise<(Pick<Attempting, 'delivery' | 'event'> & { webhook: WebhookRow | undefined }) | undefined> {
    const { store, events, webhooks } = this.#parts;
    const found = await store.read(async (tx) => {
      const delivery = await readDeliveryById(tx, deliveryId);
      const event = delivery && (await events.byId(tx, delivery.event_id));
      if (!delivery || !event) return undefined;
      const stored = store.isShared ? await readRowById(tx, 'webhooks', delivery.webhook_id) : undefined;
      return { delivery, event, stored };
    });
    if (!found) return undefined;
    const { delivery, event, stored } = found;
    // If several gateways share the database, another gateway may have made or changed the webhook, and this gateway's
    // memory may not know that yet.
    const webhook = store.isShared ? stored : webhooks.find(delivery.webhook_id);
    return { delivery, event, webhook };
  }

  async #sendAndRecord(attempting: Attempting, instead?: PostResult): Promise<DecidedDelivery> {
    const { event, webhook } = attempting;
    const { runtime, webhooks } = this.#parts;
    const at = runtime.clock.now();
    const tookMs = startStopwatch(runtime.clock);
    const message = makeWebhookMessage(event, webhooks.secretsOf(webhook), selectTimestampClock(runtime));
    const posted = instead ?? (await this.#postEvent(attempting, message));
    const timing = { at, duration_ms: tookMs() };
    const after = await this.#record(attempting, timing, posted);
    this.#journal(attempting, after.delivery, message, posted);
    for (const effect of after.effects) await this.#carryOut(effect, after.delivery, webhook);
    return after.delivery;
  }

  /** Makes an attempt with a fault that a test has set (B290). */
  async #attemptWithFault(fault: EventFault, attempting: Attempting): Promise<DecidedDelivery> {
    const { delivery, event, webhook } = attempting;
    const { id: _, endpointId: _e, accountId: _a, after: _l, times: _t, ...injected } = fault;
    const about = { webhook: webhook.id, delivery: delivery.id, event: event.id, type: event.type };
    this.#parts.runtime.journal.add('webhook.faulted', { ...injected, ...about });
    switch (fault.fault) {
      case 'delayEvent':
        return this.#delay(delivery, fault, fault.delayMs);
      case 'reorderEvents':
        return this.#delay(delivery, fault, longestReorderWaitMs);
      case 'loseEvent':
        return this.#sendAndRecord(attempting, lostOnTheWay);
      case 'duplicateEvent':
        await this.#sendAndRecord(attempting);
        return this.#sendAndRecord({ ...attempting, by: 'fault' });
      case 'forgeEvent': {
        const after = await this.#sendAndRecord(attempting);
        await this.#sendForgedCopy(attempting);
        return after;
      }
    }
  }

  async #delay(seen: WebhookDeliveryRow, fault: EventFault, forMs: number): Promise<DecidedDelivery> {
    const why = `a test delays the event (${fault.fault})`;
    const { delivery } = await commitDeliveryInput(this.#inputParts, seen, { is: 'putOff', forMs, why });
    if (delivery.state === 'pending') this.#parts.faults.noteDelayed(delivery, fault);
    return delivery;
  }

  async #sendForgedCopy({ event, webhook, releaseTime }: Attempting): Promise<void> {
    const { runtime } = this.#parts;
    if (event.type === adyenResultType) return;
    const message = makeForgedCopy(event, runtime);
    const posted = await this.#post(webhook, message, releaseTime);
    const probed = {
      webhook: webhook.id,
      event: event.id,
      type: event.type,
      headers: runtime.clock.virtual ? timelessHeaders(message) : message.headers,
      ...pickJournaledFields(posted),
    };
    runtime.journal.add('webhook.probed', probed, {}, { text: message.body });
  }

  async #postEvent(
    { event, webhook, releaseTime }: Attempting,
    message: WebhookMessage,
  ): Promise<PostResult> {
    if (event.type !== adyenResultType) return this.#post(webhook, message, releaseTime);
    const { resultAnswerMs } = this.#parts.runtime.timeouts;
    return acceptedOnly(await this.#post(webhook, message, releaseTime, resultAnswerMs));
  }

  #post(
    { url }: WebhookRow,
    message: WebhookMessage,
    releaseTime: EndInFlight,
    timeoutMs = this.#parts.runtime.timeouts.webhookAnswerMs,
  ): Promise<PostResult> {
    const { runtime, rules, post } = this.#parts;
    return post(url, message, {
      rules,
      clock: runtime.clock,
      timeoutMs,
      signal: this.#stopping.signal,
      processing: releaseTime,
    });
  }

  #record(
    { delivery, by }: Attempting,
    timing: Pick<WebhookAttemptRow, 'at' | 'duration_ms'>,
    posted: PostResult,
  ): Promise<DeliveryInputResult> {
    const { store, runtime } = this.#parts;
    const row: WebhookAttemptRow = {
      id: runtime.identifiers.next(),
      delivery_id: delivery.id,
      ...timing,
      by,
      status: posted.status ?? null,
      error: posted.error ?? null,
      answer: posted.answer ?? null,
    };
    return commitDeliveryInput(this.#inputParts, delivery.id, makeAttemptInput(by, posted), (update) => [
      { insert: 'webhook_attempts', row },
      update,
      ...(by === 'hand' && store.isShared ? [makeDeliveryWakeUp(delivery.id, runtime.identifiers)] : []),
    ]);
  }

  #journal(
    { event, webhook }: Attempting,
    after: WebhookDeliveryRow,
    message: WebhookMessage,
    posted: PostResult,
  ): void {
    const { journal, clock } = this.#parts.runtime;
    const about = { webhook: webhook.id, delivery: after.id, event: event.id };
    const attempted = {
      ...about,
      type: event.type,
      attempt: after.tries,
      headers: clock.virtual ? timelessHeaders(message) : message.headers,
      ...pickJournaledFields(posted),
      ...(posted.answer !== undefined && { answer: posted.answer }),
    };
    journal.add('webhook.attempted', attempted, {}, { text: message.body });
  }

  async #carryOut(effect: Effect, { id, event_id }: WebhookDeliveryRow, webhook: WebhookRow): Promise<void> {
    const { runtime, webhooks } = this.#parts;
    const { why } = effect;
    if (effect.do === 'journalFailure')
      runtime.journal.add('webhook.failed', { webhook: webhook.id, delivery: id, event: event_id, why });
    else if (webhook.disabled_at === null) await webhooks.disable(webhook.id, why);
  }

  /** Makes virtual time wait for the end of an attempt. The wait is limited; see {@link defaultPatienceMs}. */
  async #withVirtualTimeHeld<Result>(work: (releaseTime: EndInFlight) => Promise<Result>): Promise<Result> {
    const { clock, realClock, inFlight } = this.#parts.runtime;
    const releaseTime: EndInFlight = inFlight.begin();
    const patience = clock.virtual ? realClock.setTimeout(releaseTime, this.#patienceMs) : undefined;
    try {
      return await work(releaseTime);
    } finally {
      realClock.clearTimeout(patience);
      releaseTime();
    }
  }
}

/**
 * Whether an attempt is still wanted. An attempt of the schedule is not wanted if the delivery has ended, or if this
 * gateway may not begin the attempt.
 */
function isWanted(occasion: Occasion, { state }: WebhookDeliveryRow): boolean {
  return occasion.by === 'hand' || (state === 'pending' && occasion.mayBegin());
}

/** Gives the headers that are the same in every run with the same seed. The other headers depend on the time. */
function timelessHeaders({ headers }: WebhookMessage): Record<string, string> {
  const { 'webhook-timestamp': _at, 'webhook-signature': _signature, ...timeless } = headers;
  return timeless;
}

/**
 * Counts a result as delivered only if the receiver answers with a status of 2xx and the text [accepted], as Adyen's
 * receivers do.
 */
function acceptedOnly(posted: PostResult): PostResult {
  const { status = 0, answer = '', error } = posted;
  if (error !== undefined || status < 200 || status > 299 || answer.trim() === '[accepted]') return posted;
  return { ...posted, error: 'the receiver did not answer [accepted]' };
}
