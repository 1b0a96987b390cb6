import { isStaleRowVersionError } from '../../shared/database/version-moved.ts';
import type { Account } from '../accounts/schemas.ts';
import type { AccountService } from '../accounts/service.ts';
import { ApiError } from '../http/errors.ts';
import { throwUnavailableIfFull } from '../http/unavailable-if-full.ts';
import type { PaymentRow } from '../store/rows/payments.ts';
import type { Terminal } from '../terminals/directory.ts';
import {
  findOrderRefusal,
  type IdempotencyKeyAndFingerprint,
  type OrderRequest,
  type PaymentOrder,
} from './core/order.ts';
import { makePaymentMessage } from './core/payment-message.ts';
import { serviceIdOf } from './core/service-id.ts';
import { paymentFromRow } from './core/states.ts';
import type { Input } from './core/step.ts';
import type { IdempotencyKeyRegistry } from './moving/idempotency-keys.ts';
import { findOriginalPayment } from './moving/originals.ts';
import { currentPaymentSubject, type PaymentInputQueue } from './moving/payment-engine-adapter.ts';
import { makePaymentSoFar, type PaymentSoFar } from './moving/payment-so-far.ts';
import type { PaymentWithOutcomeRow } from './moving/rows.ts';
import type { WaitingRequest } from './moving/waiters.ts';
import type { PaymentEngineMakerParts, PaymentsElsewhere } from './running.ts';

/** The key of a request. `use` is the number of earlier payments with this key. */
interface KeyUse extends IdempotencyKeyAndFingerprint {
  use: number;
}

/** The data from which a payment's row is made. */
interface Draft {
  request: OrderRequest;
  order: PaymentOrder;
  account: Account;
  terminal: Terminal;
  key: KeyUse | undefined;
}

/**
 * Makes the order (amount, currency, tips and so on) with the account's settings. This function is called when it is
 * the payment's turn, so it uses the settings of that moment.
 */
type ReadOrder = (account: Account) => PaymentOrder;

interface AcceptanceParts
  extends Pick<PaymentEngineMakerParts, 'runtime' | 'store' | 'terminals' | 'acquirer' | 'waiting'> {
  accounts: AccountService;
  turns: PaymentInputQueue;
  keys: IdempotencyKeyRegistry;
  elsewhere: Pick<PaymentsElsewhere, 'isOlder'>;
}

/**
 * The maximum number of tries to store a reversal. A try fails if another request gives back money of the same payment
 * at the same moment.
 */
const mostTries = 30;

/**
 * Accepts payments. It checks a request in the order of B116, and stores the payment before the payment is sent to the
 * terminal.
 */
export class GatewayPaymentAcceptor {
  readonly #parts: AcceptanceParts;

  constructor(parts: AcceptanceParts) {
    this.#parts = parts;
  }

  /**
   * Accepts a payment. If a payment with the request's key exists, returns that payment. Resolves when the payment is
   * stored and is on its way to the terminal.
   *
   * For a repeated request, this method finds the existing payment first. Only after that does it check the terminal,
   * the currency and the limit, because these checks could fail if settings have changed since the first request (B60).
   *
   * @throws ApiError for the first check that fails (B116). Then nothing is stored, and the key stays unused (B59)
   */
  accept(request: OrderRequest, call: WaitingRequest): Promise<PaymentSoFar> {
    const { key, caller } = request;
    if (key === undefined) return this.#make(request, undefined, call);
    return this.#parts.keys.runExclusively(caller, key.key, () => this.#withKey(request, key, call));
  }

  /**
   * Makes a payment with a key, or returns the payment that was made with it. Only the database knows for certain
   * whether a key is used: another gateway may have used the key, or memory may have forgotten it. So if the payment
   * cannot be made, the gateway asks the database. If the database has a payment with the key, that payment is
   * returned. If the key may be used once more, the gateway tries again to make the payment. In any other case, the
   * error that prevented the payment is thrown.
   */
  async #withKey(
    request: OrderRequest,
    key: IdempotencyKeyAndFingerprint,
    call: WaitingRequest,
  ): Promise<PaymentSoFar> {
    const { keys } = this.#parts;
    let known = await keys.find(request.caller, key.key);
    while (!known.former) {
      try {
        return await this.#make(request, { ...key, use: known.nextUse }, call);
      } catch (error) {
        const isRefused = error instanceof ApiError;
        if (isRefused && !known.isGuess) throw error;
        const stored = await keys.stored(request.caller, key.key);
        const mayTryAgain = !isRefused && stored.nextUse > known.nextUse;
        if (!stored.former && !mayTryAgain) throw error;
        known = stored;
      }
    }
    return this.#again(request, key, known.former);
  }

  #again(
    request: OrderRequest,
    { fingerprint }: IdempotencyKeyAndFingerprint,
    former: PaymentWithOutcomeRow,
  ): PaymentSoFar {
    if (former.request_hash === fingerprint) return makePaymentSoFar(former);
    this.#parts.terminals.ofCaller(request.terminalId, request.caller);
    throw new ApiError('idempotencyKeyReused');
  }

  /**
   * Accepts a payment, reversal or refund. A reversal depends on how much of its payment can still be given back. If
   * another request gives back money of the same payment in the meantime, the payment is read again.
   */
  async #make(request: OrderRequest, key: KeyUse | undefined, call: WaitingRequest): Promise<PaymentSoFar> {
    const { caller, terminalId } = request;
    if (request.kind !== 'payment' && (await this.#parts.elsewhere.isOlder()))
      throw new ApiError('olderGateway');
    if (request.kind !== 'reversal')
      return this.#begin(request, key, (account) => request.read(account), call);
    this.#parts.terminals.ofCaller(terminalId, caller);
    const { reverses } = request;
    for (let tries = mostTries; ; tries--) {
      const original = await this.#parts.store.read((db) => findOriginalPayment(db, caller, reverses));
      if (!original) throw new ApiError('originalNotFound');
      try {
        return await this.#begin(request, key, (account) => request.read(account, original), call);
      } catch (error) {
        if (!isStaleRowVersionError(error)) throw error;
        if (tries === 1) throw new ApiError('unavailable', { headers: { 'Retry-After': '1' } });
      }
    }
  }

  async #begin(
    request: OrderRequest,
    key: KeyUse | undefined,
    read: ReadOrder,
    call: WaitingRequest,
  ): Promise<PaymentSoFar> {
    const { store, terminals, turns, keys, waiting } = this.#parts;
    const { id } = terminals.ofCaller(request.terminalId, request.caller);
    // This call throws if the database cannot be reached. Without this check, the payment might have to wait behind an
    // earlier decision about the terminal, which cannot be committed.
    store.mustAnswer();
    // `payment` and `endArrival` are set when it is the payment's turn.
    let payment = { id: '', accepted_at: 0 };
    let endArrival = () => {};
    const input = () => {
      const accepted = this.#acceptedInput(request, key, read);
      payment = accepted.row;
      endArrival = waiting.arriving(payment.id, call);
      return accepted;
    };
    const { concluded } = await throwUnavailableIfFull(turns.put(id, currentPaymentSubject, input)).finally(
      () => endArrival(),
    );
    // At a busy terminal, the new payment is concluded in the step that accepts it. Its key stays unused.
    const busy = concluded?.as.id === payment.id ? concluded : undefined;
    if (key && !busy) keys.noteUsed(request.caller, key.key);
    const { id: paymentId, accepted_at: acceptedAt } = payment;
    return { id: paymentId, acceptedAt, ...(busy && { outcome: busy.outcome }) };
  }

  /**
   * Checks the settings and the terminal when it is the payment's turn. Both may have changed since the request came.
   */
  #acceptedInput(
    request: OrderRequest,
    key: KeyUse | undefined,
    read: ReadOrder,
  ): Extract<Input, { is: 'accepted' }> {
    const { accounts, terminals, runtime } = this.#parts;
    const terminal = terminals.ofCaller(request.terminalId, request.caller);
    const account = accounts.account(request.caller.accountId);
    const order = read(account);
    const refusal = findOrderRefusal(order, terminal, account);
    if (refusal) throw new ApiError(refusal);
    const row = this.#rowOf({ request, order, account, terminal, key });
    const payment = paymentFromRow(row, {
      poiId: terminal.poiId,
      saleReferenceId: order.saleReference,
      now: row.accepted_at,
      monotonic: runtime.clock.monotonic(),
    });
    const { requestId } = request;
    return {
      is: 'accepted',
      row,
      payment,
      requestId,
      ...(order.original && { taken: order.original.taken }),
    };
  }

  #rowOf({ request, order, account, terminal, key }: Draft): PaymentRow {
    const { identifiers, clock } = this.#parts.runtime;
    const payment = {
      id: identifiers.next(),
      kind: request.kind,
      acceptedAt: clock.now(),
      pinRule: order.original
        ? undefined
        : this.#parts.acquirer.pinRule(terminal.id, order.amount, order.currency),
    };
    return {
      id: payment.id,
      kind: payment.kind,
      original_id: order.original?.id ?? null,
      account_id: terminal.accountId,
      environment: terminal.environment,
      terminal_id: terminal.id,
      service_id: serviceIdOf(payment.id),
      amount: order.amount,
      currency: order.currency,
      idempotency_key: key?.key ?? null,
      key_use: key?.use ?? 0,
      request_hash: key?.fingerprint ?? null,
      accepted_at: payment.acceptedAt,
      message: JSON.stringify(makePaymentMessage(order, payment, terminal, account)),
      unknown_fields: request.unknownFields.length > 0 ? JSON.stringify(request.unknownFields) : null,
      pin_rule: payment.pinRule ?? null,
      sale_reference_id: order.saleReference ?? null,
      dialect: request.dialect?.name ?? null,
      dialect_data: request.dialect?.data ?? null,
      needs_link: request.needsLink ? 1 : null,
    };
  }
}
