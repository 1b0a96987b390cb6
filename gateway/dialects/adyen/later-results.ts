import { DeadlineScheduler } from '../../../shared/deadlines.ts';
import type { Runtime } from '../../../shared/runtime.ts';
import type { Duty } from '../../engine/duties.ts';
import { adyenResultType } from '../../events/schemas.ts';
import type { NewAdyenResult } from '../../events/stored-event.ts';
import type { PaymentSoFar } from '../../payments/moving/payment-so-far.ts';
import type { Services } from '../../services.ts';
import type { Owner } from '../../store/ownership.ts';
import type { AwaitedResultRow } from '../../store/rows/payments.ts';
import type { RowChange, Tx } from '../../store/schema.ts';
import { throwIfCommitRefused } from '../../store/store.ts';
import { AdyenPayments } from './payments.ts';

type LaterParts = Pick<
  Services,
  'runtime' | 'store' | 'payments' | 'events' | 'webhooks' | 'duties' | 'ending'
>;

/**
 * The time in ms for which a gateway gets the duty to send results. This time may be long, because the gateway that
 * accepted a payment sends the payment's result even if it does not have the duty.
 */
const dutyMs = 10_000;

/**
 * Sends the results of messages that were answered with `ok`. One batch of writes stores a result with its deliveries,
 * and removes the payment from the awaited results. So each result is sent once, no matter when the process ends
 * (B460). If there are several gateways, two of them wait for a payment's result: the gateway that accepted the
 * payment, and the gateway that has the duty. If both try to store the result, the database refuses the second batch.
 */
export class LaterResultSender {
  readonly #parts: LaterParts;
  readonly #payments: AdyenPayments;
  readonly #deadlines: DeadlineScheduler;
  readonly #duty: Duty | undefined;
  readonly #awaited = new Map<string, Owner>();
  /** The accounts for which the gateway has already logged the warning that they have no webhook for results. */
  readonly #warnedAccounts = new Set<string>();

  private constructor(parts: LaterParts) {
    this.#parts = parts;
    this.#payments = new AdyenPayments(parts);
    const { runtime, duties, ending } = parts;
    this.#deadlines = new DeadlineScheduler(runtime.clock, {
      run: (paymentId) => this.#sendResult(paymentId),
      failed: (paymentId, error, failures) => {
        if (failures === 1)
          warn(
            runtime,
            `the result of payment ${paymentId} could not be stored yet; the gateway will try again: ${error}`,
          );
      },
    });
    ending.signal.addEventListener('abort', () => this.#deadlines.stop(), { once: true });
    this.#duty = duties.share('results', dutyMs, { sweep: () => this.#followAllStored(), forget: () => {} });
  }

  static async open(parts: LaterParts): Promise<LaterResultSender> {
    const later = new LaterResultSender(parts);
    if (!later.#duty) await later.#followAllStored();
    return later;
  }

  /** Sends a result that is already known. Resolves when the result is on disk. */
  async send(owner: Owner, resourceId: string, message: object): Promise<void> {
    this.#warnIfUnwanted(owner);
    await throwIfCommitRefused(this.#parts.events.commitResult([], resultOf(owner, resourceId, message)));
  }

  /** True while a payment's result is awaited or being stored. */
  isAwaited({ id }: PaymentSoFar): boolean {
    return this.#awaited.has(id);
  }

  /** Stores that a payment's result must be sent as soon as the result is known. Resolves when this note is on disk. */
  async sendWhenKnown(owner: Owner, payment: PaymentSoFar): Promise<void> {
    this.#warnIfUnwanted(owner);
    if (this.#awaited.has(payment.id)) return;
    const { accountId: account_id, environment } = owner;
    const row: AwaitedResultRow = { payment_id: payment.id, account_id, environment };
    const result = await this.#parts.store.commit([{ insert: 'awaited_results', row }]);
    // If the row already exists, an earlier message about the same payment has stored it. This is not an error.
    if (result.is === 'refused' && result.because !== 'constraint') throw result.error;
    this.#follow(owner, payment);
  }

  async #followAllStored(): Promise<void> {
    const rows = await this.#parts.store.read(awaited);
    for (const { payment_id, account_id: accountId, environment } of rows) {
      if (this.#awaited.has(payment_id)) continue;
      const owner = { accountId, environment };
      const payment = await this.#find(owner, payment_id);
      if (payment) this.#follow(owner, payment);
    }
  }

  #follow(owner: Owner, payment: PaymentSoFar): void {
    if (this.#awaited.has(payment.id) || this.#parts.ending.signal.aborted) return;
    this.#awaited.set(payment.id, owner);
    void this.#waitForOutcome(payment).then(() => this.#deadlines.doNow(payment.id));
  }

  async #waitForOutcome(payment: PaymentSoFar): Promise<void> {
    if (payment.outcome) return;
    const { runtime, payments, ending } = this.#parts;
    const { clock, timeWaits } = runtime;
    const arrivedAt = clock.monotonic();
    const park = (limitMs = 0) => timeWaits.wait(() => 'a result that is sent later', limitMs);
    // An error is ignored: if the database does not answer now, `#sendResult` reads the payment again.
    await payments.hold(payment, { arrivedAt, signal: ending.signal, park }).catch(() => {});
  }

  /**
   * Stores a payment's result. This is possible when the result is known, or when the payment's time limit has passed.
   * Before that, this function throws an error, and it is called again later.
   */
  async #sendResult(paymentId: string): Promise<void> {
    const { runtime, events } = this.#parts;
    const owner = this.#awaited.get(paymentId) as Owner;
    const payment = await this.#find(owner, paymentId);
    if (!payment) throw new Error('it is not there');
    const isOver = runtime.clock.elapsedSince(payment.acceptedAt) >= runtime.timeouts.paymentCapMs;
    if (!payment.outcome && !isOver) throw new Error('it is not known');
    const message = await this.#payments.laterMessage(this.#callerOf(owner), payment);
    const told: RowChange = { delete: 'awaited_results', where: { payment_id: paymentId } };
    const result = await events.commitResult([told], resultOf(owner, paymentId, message));
    // If the row no longer exists, another gateway has sent the result. This is not an error.
    if (result.is === 'refused' && result.because !== 'version') throw result.error;
    this.#awaited.delete(paymentId);
  }

  #find(owner: Owner, transactionId: string): Promise<PaymentSoFar | undefined> {
    const asking = this.#callerOf(owner);
    return this.#parts.payments.statusNow(asking.caller, { transactionId }, asking);
  }

  /** Makes the caller object for the account. Results are sent without a request, so no token identifies the caller. */
  #callerOf(owner: Owner) {
    return { caller: { ...owner, tokenId: '' }, arrivedAt: this.#parts.runtime.clock.monotonic() };
  }

  #warnIfUnwanted({ accountId, environment }: Owner): void {
    if (this.#warnedAccounts.has(accountId)) return;
    if (this.#parts.webhooks.wanting({ accountId, environment, type: adyenResultType }).length > 0) return;
    this.#warnedAccounts.add(accountId);
    warn(
      this.#parts.runtime,
      `results of /async are not sent: account ${accountId} has no address for them (adyen.events, docs/adyen.md)`,
    );
  }
}

function resultOf({ accountId, environment }: Owner, resourceId: string, data: object): NewAdyenResult {
  return { accountId, environment, type: adyenResultType, resourceId, data };
}

function awaited(tx: Tx): Promise<AwaitedResultRow[]> {
  return tx.selectFrom('awaited_results').selectAll().orderBy('payment_id').execute();
}

function warn({ journal }: Runtime, message: string): void {
  journal.add('warning', { message });
}
