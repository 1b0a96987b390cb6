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
import { type PostResult, pickJournaledFields, type post } from './post.ts';
import { readDeliveryById } from './rows.ts';
import type { WebhookService } from './service.ts';
import { makeWebhookMessage, type SignedMessage, selectTimestampClock } from './signature.ts';

/**
 * A virtual clock waits until a receiver answers. If a receiver never answered, the clock would stop forever. So the
 * clock waits for at most this many real milliseconds. After that, virtual time moves, and the attempt ends at its
 * time limit. If a receiver answers 102 Processing, virtual time moves at once.
 */
const defaultTimeoutMs = 2_000;
/**
 * A test may request that the next delivery to the same webhook overtakes a delivery. The delivery that the test has
 * chosen waits for the next delivery. If no next delivery comes within this many ms, the waiting delivery is sent
 * anyway (B291).
 */
const longestReorderWaitMs = 60_000;
const lost: PostResult = {
  status: undefined,
  error: 'the event was lost on its way, because a test set this fault',
  answer: undefined,
};

interface AttemptParts extends StoreParts {
  events: EventStore;
  webhooks: WebhookService;
  rules: AddressRules;
  faults: EventFaultTracker;
  post: typeof post;
  /** Replaces {@link defaultTimeoutMs}. */
  patienceMs?: number;
}

/** An attempt to send an event: the delivery, the event and the webhook. */
interface Attempting {
  delivery: WebhookDeliveryRow;
  event: Deliverable;
  webhook: WebhookRow;
  by: WebhookAttemptRow['by'];
  /** Called when virtual time no longer has to wait for the answer. */
  processing: EndInFlight;
}

/** Says whether the attempt is made by hand or by the schedule, and whether it may begin. */
interface Occasion extends Pick<Attempting, 'by' | 'processing'> {
  /**
   * Called right before the event is sent, to check again that the attempt may begin. The faults are read from the
   * database before this check. If the database is slow, the time for the attempt may be over after this read (B351).
   */
  mayBegin: () => boolean;
}

/**
 * Makes attempts to deliver events. An attempt signs the event, sends it, and stores the result. The scheduler in
 * `deliveries.ts` decides when to make an attempt.
 */
export class DeliveryAttemptRunner {
  readonly #parts: AttemptParts;
  readonly #patienceMs: number;
  readonly #moveParts: DeliveryInputParts;
  readonly #stopping = new AbortController();

  constructor(parts: AttemptParts) {
    this.#parts = parts;
    this.#patienceMs = parts.patienceMs ?? defaultTimeoutMs;
    const { store, runtime } = parts;
    this.#moveParts = {
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
    return this.#makeAttempt(deliveryId, 'hand', () => true);
  }

  /**
   * Makes an attempt that the schedule demands, and carries out the effects of the attempt's result. If `mayBegin`
   * returns false, sends nothing and gives the unchanged delivery.
   */
  bySchedule(deliveryId: string, mayBegin: () => boolean): Promise<DecidedDelivery | undefined> {
    return this.#makeAttempt(deliveryId, 'schedule', mayBegin);
  }

  /** Sends a message with a wrong signature. */
  probe(webhook: WebhookRow): Promise<PostResult> {
    return this.#withVirtualTimeHeld((done) =>
      this.#post(webhook, makeForgedMessage(this.#parts.runtime), done),
    );
  }

  /** Breaks off the attempts that are being made. */
  stop(): void {
    this.#stopping.abort(new Error('the gateway shuts down'));
  }

  #makeAttempt(
    deliveryId: string,
    by: 'hand' | 'schedule',
    mayBegin: () => boolean,
  ): Promise<DecidedDelivery | undefined> {
    return this.#withVirtualTimeHeld((processing) =>
      this.#readAndAttempt(deliveryId, { by, mayBegin, processing }),
    );
  }

  async #readAndAttempt(
    deliveryId: string,
    { by, processing, mayBegin }: Occasion,
  ): Promise<DecidedDelivery | undefined> {
    const { store, events, webhooks, faults } = this.#parts;
    const found = await store.read(async (tx) => {
      const delivery = await readDeliveryById(tx, deliveryId);
      const event = delivery && (await events.byId(tx, delivery.event_id));
      // The webhook is read from the database. Another gateway may have made or changed it, and this gateway's memory
      // may not know that yet.
      const webhook =
        delivery && store.isShared ? await readRowById(tx, 'webhooks', delivery.webhook_id) : undefined;
      return { delivery, event, webhook };
    });
    const { delivery, event } = found;
    if (!delivery || !event) return undefined;
    if (by === 'schedule' && (delivery.state !== 'pending' || !mayBegin())) return delivery;
    const webhook = store.isShared ? found.webhook : webhooks.find(delivery.webhook_id);
    if (!webhook || (by === 'schedule' && webhook.disabled_at !== null))
      return (await commitDeliveryInput(this.#moveParts, delivery, { is: 'unwanted' })).delivery;
    const attempting = { delivery, event, webhook, by, processing };
    const fault = by === 'schedule' ? await faults.take(delivery, event) : undefined;
    if (!mayBegin()) return delivery;
    return fault ? this.#attemptWithFault(fault, attempting) : this.#sendAndRecord(attempting);
  }

  async #sendAndRecord(attempting: Attempting, instead?: PostResult): Promise<DecidedDelivery> {
    const { delivery, event, webhook, by } = attempting;
    const { runtime, webhooks } = this.#parts;
    const at = runtime.clock.now();
    const tookMs = startStopwatch(runtime.clock);
    const message = makeWebhookMessage(event, webhooks.secretsOf(webhook), selectTimestampClock(runtime));
    const posted = instead ?? (await this.#postEvent(attempting, message));
    const timing = { at, duration_ms: tookMs() };
    const after = await this.#record(delivery.id, by, timing, posted);
    this.#journal(after.delivery, event, { webhook, message, posted });
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
        return this.#sendAndRecord(attempting, lost);
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
    const { delivery } = await commitDeliveryInput(this.#moveParts, seen, { is: 'putOff', forMs, why });
    if (delivery.state === 'pending') this.#parts.faults.noteDelayed(delivery, fault);
    return delivery;
  }

  async #sendForgedCopy({ event, webhook, processing }: Attempting): Promise<void> {
    const { runtime } = this.#parts;
    if (event.type === adyenResultType) return;
    const message = makeForgedCopy(event, runtime);
    const posted = await this.#post(webhook, message, processing);
    const probed = {
      webhook: webhook.id,
      event: event.id,
      type: event.type,
      headers: runtime.clock.virtual ? timelessHeaders(message) : message.headers,
      ...pickJournaledFields(posted),
    };
    runtime.journal.add('webhook.probed', probed, {}, { text: message.body });
  }

  async #postEvent({ event, webhook, processing }: Attempting, message: SignedMessage): Promise<PostResult> {
    if (event.type !== adyenResultType) return this.#post(webhook, message, processing);
    const { resultAnswerMs } = this.#parts.runtime.timeouts;
    return acceptedOnly(await this.#post(webhook, message, processing, resultAnswerMs));
  }

  #post(
    { url }: WebhookRow,
    message: SignedMessage,
    processing: EndInFlight,
    timeoutMs = this.#parts.runtime.timeouts.webhookAnswerMs,
  ): Promise<PostResult> {
    const { runtime, rules, post } = this.#parts;
    return post(url, message, {
      rules,
      clock: runtime.clock,
      timeoutMs,
      signal: this.#stopping.signal,
      processing,
    });
  }

  #record(
    deliveryId: string,
    by: WebhookAttemptRow['by'],
    timing: Pick<WebhookAttemptRow, 'at' | 'duration_ms'>,
    posted: PostResult,
  ): Promise<DeliveryInputResult> {
    const { store, runtime } = this.#parts;
    const row: WebhookAttemptRow = {
      id: runtime.identifiers.next(),
      delivery_id: deliveryId,
      ...timing,
      by,
      status: posted.status ?? null,
      error: posted.error ?? null,
      answer: posted.answer ?? null,
    };
    return commitDeliveryInput(this.#moveParts, deliveryId, makeAttemptInput(by, posted), (update) => [
      { insert: 'webhook_attempts', row },
      update,
      ...(by === 'hand' && store.isShared ? [makeDeliveryWakeUp(deliveryId, runtime.identifiers)] : []),
    ]);
  }

  #journal(
    delivery: WebhookDeliveryRow,
    event: Deliverable,
    { webhook, message, posted }: { webhook: WebhookRow; message: SignedMessage; posted: PostResult },
  ): void {
    const { journal, clock } = this.#parts.runtime;
    const about = { webhook: webhook.id, delivery: delivery.id, event: event.id };
    const attempted = {
      ...about,
      type: event.type,
      attempt: delivery.tries,
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

  /** Makes virtual time wait for the end of an attempt. The wait is limited; see {@link defaultTimeoutMs}. */
  async #withVirtualTimeHeld<Result>(work: (done: EndInFlight) => Promise<Result>): Promise<Result> {
    const { clock, realClock, inFlight } = this.#parts.runtime;
    const done: EndInFlight = inFlight.begin();
    const patience = clock.virtual ? realClock.setTimeout(done, this.#patienceMs) : undefined;
    try {
      return await work(done);
    } finally {
      realClock.clearTimeout(patience);
      done();
    }
  }
}

/** Gives the headers that are the same in every run with the same seed. The other headers depend on the time. */
function timelessHeaders({ headers }: SignedMessage): Record<string, string> {
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
