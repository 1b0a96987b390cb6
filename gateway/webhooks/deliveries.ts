import { Deadlines, leftUntil, retryAfterMs } from '../../shared/deadlines.ts';
import type { Done } from '../../shared/in-flight.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { EventStore, StoredEvent } from '../events/service.ts';
import { ApiError } from '../http/errors.ts';
import type { WebhookAttemptRow, WebhookDeliveryRow, WebhookRow } from '../store/rows/webhooks.ts';
import { applied, type Store } from '../store/store.ts';
import type { AddressRules } from './addresses.ts';
import { afterAttempt } from './after-attempt.ts';
import { deliveryView } from './delivery-view.ts';
import { HandOver } from './hand-over.ts';
import { Lane } from './lane.ts';
import { type Posted, post } from './post.ts';
import { forgedMessage } from './probe.ts';
import { longestRetryDelayMs } from './retry-schedule.ts';
import { deliveryById, listDeliveries, type PendingDelivery, readPending } from './rows.ts';
import type { WebhookDelivery } from './schemas.ts';
import type { WebhookService } from './service.ts';
import { type SignedMessage, signedMessage } from './signature.ts';

/**
 * A virtual clock waits for an attempt to be answered. A receiver that hangs would stop it forever, so after this
 * long on the real clock time may go on, and the attempt runs into its limit. One that says 102 Processing lets it go on
 * at once.
 */
const defaultTimeoutMs = 2_000;

interface DeliveryParts {
  runtime: Runtime;
  store: Store;
  events: EventStore;
  webhooks: WebhookService;
  rules: AddressRules;
  /** See {@link defaultTimeoutMs}. */
  patienceMs?: number;
}

/**
 * Takes events to webhooks: each at least once, tried by the schedule until it is answered with 2xx (B107).
 * What was not delivered when a process ends is delivered by the next.
 */
export class WebhookDeliveries {
  readonly #parts: DeliveryParts;
  #patienceMs: number;
  #lanes = new Map<string, Lane>();
  #due: Deadlines;
  /** What the deadlines are for. */
  #waiting = new Map<string, PendingDelivery>();
  /** How often in a row what came of a delivery's attempt could not be written. */
  #unwritten = new Map<string, number>();
  #handOver: HandOver;
  #stopping = new AbortController();
  #running = new Set<Promise<void>>();

  private constructor(parts: DeliveryParts) {
    this.#parts = parts;
    this.#patienceMs = parts.patienceMs ?? defaultTimeoutMs;
    this.#due = new Deadlines(parts.runtime.clock, { run: (id) => this.#fallDue(id) });
    this.#handOver = new HandOver(parts, (made) => {
      for (const delivery of made) this.#add(delivery);
    });
    parts.webhooks.onSilenced((id) => this.#silence(id));
  }

  static async open(parts: DeliveryParts): Promise<WebhookDeliveries> {
    const deliveries = new WebhookDeliveries(parts);
    for (const pending of await parts.store.read(readPending)) deliveries.#add(pending);
    deliveries.#handOver.handOn();
    return deliveries;
  }

  /** The log: deliveries, the latest first, with every attempt. */
  async list(filter: Parameters<typeof listDeliveries>[1]): Promise<WebhookDelivery[]> {
    return (await this.#parts.store.read((tx) => listDeliveries(tx, filter))).map(deliveryView);
  }

  /**
   * Sends a delivery again now, whatever its state; one that waits goes on by its schedule if this does not get
   * through.
   *
   * @throws ApiError notFound; conflict where its webhook was deleted
   */
  async replay(deliveryId: string): Promise<WebhookDelivery> {
    const delivery = await this.#parts.store.read((tx) => deliveryById(tx, deliveryId.toLowerCase()));
    if (!delivery) throw new ApiError('notFound', { message: 'The delivery does not exist' });
    if (!this.#parts.webhooks.find(delivery.webhook_id))
      throw new ApiError('conflict', { message: 'The webhook of this delivery was deleted' });
    await this.#counted((done) => this.#attempt(delivery.id, 'hand', done));
    const [after] = await this.list({ id: delivery.id, limit: 1 });
    // What waited behind it need not wait for its next moment.
    if (after?.state === 'delivered' && this.#waiting.has(delivery.id)) {
      this.#due.clear(delivery.id);
      this.#fallDue(delivery.id);
    }
    return after as WebhookDelivery;
  }

  /**
   * Sends a webhook's receiver a message with a wrong signature: whether it checks, and how it answers.
   *
   * @throws ApiError notFound
   */
  async probe(webhookId: string): Promise<Posted> {
    const webhook = this.#parts.webhooks.row(webhookId);
    const posted = await this.#counted((done) =>
      this.#post(webhook, forgedMessage(this.#parts.runtime), done),
    );
    const { status, error } = posted;
    this.#parts.runtime.journal.add('webhook.probed', {
      webhook: webhookId,
      ...(status === undefined ? {} : { status }),
      ...(error === undefined ? {} : { error }),
    });
    return posted;
  }

  /** Breaks off what is under way; the next process does it again. Nothing is written once this resolves. */
  async stop(): Promise<void> {
    this.#due.stop();
    this.#stopping.abort(new Error('the gateway shuts down'));
    await Promise.allSettled([this.#handOver.stop(), ...this.#running]);
  }

  #add(delivery: PendingDelivery): void {
    let lane = this.#lanes.get(delivery.webhook_id);
    if (!lane) {
      lane = new Lane();
      this.#lanes.set(delivery.webhook_id, lane);
    }
    if (lane.add(delivery)) this.#schedule(delivery);
  }

  #schedule(delivery: PendingDelivery): void {
    if (this.#stopping.signal.aborted || !this.#lanes.has(delivery.webhook_id)) return;
    this.#waiting.set(delivery.id, delivery);
    const { clock, timeouts } = this.#parts.runtime;
    const longestMs = longestRetryDelayMs(delivery.tries, timeouts.webhookRetryUnitMs);
    const leftMs = leftUntil(clock, delivery.due_at ?? 0, longestMs);
    if (leftMs > 0) this.#due.set(delivery.id, leftMs);
    else this.#fallDue(delivery.id);
  }

  #fallDue(deliveryId: string): void {
    const delivery = this.#waiting.get(deliveryId);
    const lane = delivery && this.#lanes.get(delivery.webhook_id);
    if (!delivery || !lane) return;
    this.#waiting.delete(deliveryId);
    lane.becameDue(delivery);
    this.#run(lane);
  }

  #run(lane: Lane): void {
    if (this.#stopping.signal.aborted) return;
    for (const delivery of lane.take()) {
      const work = this.#counted((done) => this.#attempt(delivery.id, 'schedule', done)).then(
        (after) => {
          lane.tried(delivery);
          this.#unwritten.delete(delivery.id);
          if (after && after.state === 'pending')
            this.#schedule({ ...delivery, tries: after.tries, due_at: after.due_at });
          else this.#goOn(lane.ended(delivery));
          this.#run(lane);
        },
        (error: unknown) => {
          lane.tried(delivery);
          if (this.#stopping.signal.aborted) return;
          this.#tryAgain(delivery, error);
        },
      );
      this.#track(work);
    }
  }

  /** What came of an attempt could not be written: the attempt is made again (B68, B107). */
  #tryAgain(delivery: PendingDelivery, error: unknown): void {
    const failures = (this.#unwritten.get(delivery.id) ?? 0) + 1;
    this.#unwritten.set(delivery.id, failures);
    if (failures === 1) this.#warn(`webhook delivery ${delivery.id} could not be written yet: ${error}`);
    if (!this.#lanes.has(delivery.webhook_id)) return;
    this.#waiting.set(delivery.id, delivery);
    this.#due.set(delivery.id, retryAfterMs(failures));
  }

  #goOn(next: PendingDelivery | undefined): void {
    if (next) this.#schedule(next);
  }

  /** One attempt and what follows from it, on disk; gives the delivery as it stands then. */
  async #attempt(
    deliveryId: string,
    by: WebhookAttemptRow['by'],
    processing: Done,
  ): Promise<WebhookDeliveryRow | undefined> {
    const { runtime, store, events, webhooks } = this.#parts;
    const { delivery, event } = await store.read(async (tx) => {
      const delivery = await deliveryById(tx, deliveryId);
      return { delivery, event: delivery && (await events.byId(tx, delivery.event_id)) };
    });
    if (!delivery || !event) return undefined;
    if (by === 'schedule' && delivery.state !== 'pending') return delivery;
    const webhook = webhooks.find(delivery.webhook_id);
    if (!webhook || (by === 'schedule' && webhook.disabled_at !== null)) return this.#giveUp(delivery);
    const at = runtime.clock.now();
    const message = signedMessage(event, webhooks.secretsOf(webhook), runtime.realClock);
    const posted = await this.#post(webhook, message, processing);
    const after = await this.#record(deliveryId, by, at, posted);
    this.#journal(after, event, { webhook, message, posted });
    if (posted.status === 410 && webhook.disabled_at === null)
      await webhooks.disable(webhook.id, 'its receiver answered 410 Gone');
    return after;
  }

  #post({ url }: WebhookRow, message: SignedMessage, processing: Done): Promise<Posted> {
    const { runtime, rules } = this.#parts;
    return post(url, message, {
      rules,
      clock: runtime.clock,
      timeoutMs: runtime.timeouts.webhookAnswerMs,
      signal: this.#stopping.signal,
      processing,
    });
  }

  /** Its webhook went away at the very moment it was made. */
  async #giveUp(delivery: WebhookDeliveryRow): Promise<WebhookDeliveryRow> {
    const ended_at = this.#parts.runtime.clock.now();
    const set = {
      state: 'failed',
      why: 'the webhook was deleted or disabled',
      due_at: null,
      ended_at,
    } as const;
    const where = { id: delivery.id };
    await applied(this.#parts.store.commit([{ update: 'webhook_deliveries', where, set }]));
    return { ...delivery, ...set };
  }

  /** Decided again where another attempt, or the end of the webhook, came in between. */
  async #record(
    deliveryId: string,
    by: WebhookAttemptRow['by'],
    at: number,
    posted: Posted,
  ): Promise<WebhookDeliveryRow> {
    const { store, runtime } = this.#parts;
    const row: WebhookAttemptRow = {
      id: runtime.identifiers.next(),
      delivery_id: deliveryId,
      at,
      duration_ms: runtime.clock.now() - at,
      by,
      status: posted.status ?? null,
      error: posted.error ?? null,
      answer: posted.answer ?? null,
    };
    for (;;) {
      const delivery = (await store.read((tx) => deliveryById(tx, deliveryId))) as WebhookDeliveryRow;
      const { id, tries, state } = delivery;
      const set = afterAttempt(delivery, by, posted, runtime);
      const result = await store.commit([
        { insert: 'webhook_attempts', row },
        { update: 'webhook_deliveries', where: { id, tries, state }, set },
      ]);
      if (result.is === 'applied') return { ...delivery, ...set };
      if (result.because !== 'version') throw result.error;
    }
  }

  #journal(
    delivery: WebhookDeliveryRow,
    event: StoredEvent,
    { webhook, message, posted }: { webhook: WebhookRow; message: SignedMessage; posted: Posted },
  ): void {
    const { journal, clock } = this.#parts.runtime;
    const about = { webhook: webhook.id, delivery: delivery.id, event: event.id };
    const attempted = {
      ...about,
      type: event.type,
      attempt: delivery.tries,
      headers: clock.virtual ? timelessHeaders(message) : message.headers,
      ...(posted.status === undefined ? {} : { status: posted.status }),
      ...(posted.error === undefined ? {} : { error: posted.error }),
      ...(posted.answer === undefined ? {} : { answer: posted.answer }),
    };
    journal.add('webhook.attempted', attempted, {}, { text: message.body });
    if (delivery.state === 'failed') journal.add('webhook.failed', { ...about, why: delivery.why });
  }

  /** Counts an attempt as in flight until it is over, but not forever; see {@link defaultTimeoutMs}. */
  async #counted<Result>(work: (done: Done) => Promise<Result>): Promise<Result> {
    const { clock, realClock, inFlight } = this.#parts.runtime;
    const done: Done = inFlight.begin();
    const patience = clock.virtual ? realClock.setTimeout(done, this.#patienceMs) : undefined;
    try {
      return await work(done);
    } finally {
      realClock.clearTimeout(patience);
      done();
    }
  }

  /** Forgets what waits for a webhook; it has ended on disk. */
  #silence(webhookId: string): void {
    const lane = this.#lanes.get(webhookId);
    this.#lanes.delete(webhookId);
    for (const { id } of lane?.waiting() ?? []) {
      this.#waiting.delete(id);
      this.#due.clear(id);
    }
  }

  #track(work: Promise<void>): void {
    this.#running.add(work);
    void work.finally(() => this.#running.delete(work));
  }

  #warn(message: string): void {
    this.#parts.runtime.journal.add('warning', { message });
  }
}

/** What is the same in every run with the same seed. */
function timelessHeaders({ headers }: SignedMessage): Record<string, string> {
  const { 'webhook-timestamp': _at, 'webhook-signature': _signature, ...timeless } = headers;
  return timeless;
}
