import type { Acquirer } from '../../acquirer/service.ts';
import type { EngineAdapter, InputQueue } from '../../engine/engine.ts';
import type { StoreParts } from '../../store/store.ts';
import type { PoiServer } from '../../terminals/poi-server.ts';
import { decide } from '../core/lifecycle.ts';
import type { State } from '../core/states.ts';
import {
  type Input,
  type PaymentFacts,
  type Step,
  type StoredPayment,
  unwrapTerminalAnswer,
} from '../core/step.ts';
import type { IdempotencyKeyRegistry } from './idempotency-keys.ts';
import type { OpenPayments } from './open-payments.ts';
import { findStoredPayment } from './rows.ts';

/** Stands for the terminal's present payment in an input that names no payment. */
export const currentPaymentSubject = 'onTerminal';

/** Queues inputs of payments. The inputs about one terminal are decided one after the other. */
export type PaymentInputQueue = InputQueue<Input, Step>;

interface PaymentEngineAdapterParts extends StoreParts {
  acquirer: Acquirer;
  poi: PoiServer;
  open: OpenPayments;
  keys: IdempotencyKeyRegistry;
}

/**
 * Tells the engine how to handle inputs of payments. Open payments are in memory. If a terminal names a payment that is
 * not open, this payment is read from the store.
 */
export class PaymentEngineAdapter implements EngineAdapter<State, Input, StoredPayment, Step> {
  readonly #parts: PaymentEngineAdapterParts;

  constructor(parts: PaymentEngineAdapterParts) {
    this.#parts = parts;
  }

  state(terminalId: string, subject: string): State {
    const { open } = this.#parts;
    return subject === currentPaymentSubject ? open.onTerminal(terminalId) : open.byId(subject);
  }

  lookUp(state: State, input: Input): Promise<StoredPayment | undefined> | undefined {
    const id = state.is === 'none' ? paymentIn(input) : undefined;
    if (id === undefined) return undefined;
    const { store, acquirer } = this.#parts;
    return store.read((db) => findStoredPayment(db, id, acquirer.ledger));
  }

  isMissed(terminalId: string, stored: StoredPayment): boolean {
    return stored.terminalId === terminalId && stored.concluded === null;
  }

  decide(
    terminalId: string,
    subject: string,
    state: State,
    input: Input,
    stored: StoredPayment | undefined,
  ): Step {
    return decide(state, input, this.#facts(terminalId, subject, state, stored));
  }

  install(former: State, step: Step): void {
    const { open, acquirer, keys } = this.#parts;
    open.install(former, step.state);
    acquirer.outcomes.install(step.outcomes);
    const ended = step.concluded?.payment;
    if (ended && ended.idempotencyKey !== null) keys.noteConcluded(ended, ended.idempotencyKey);
  }

  #facts(terminalId: string, subject: string, state: State, stored: StoredPayment | undefined): PaymentFacts {
    const { acquirer, runtime, poi } = this.#parts;
    const named = subject === currentPaymentSubject ? undefined : subject;
    const paymentId = state.is === 'none' ? named : state.payment.id;
    return {
      ...acquirer.facts(terminalId, paymentId),
      monotonic: runtime.clock.monotonic(),
      timeouts: runtime.timeouts,
      connected: poi.isConnected(terminalId),
      stored,
    };
  }
}

/**
 * Gives the identifier of the payment that a terminal's message names. If this payment is not open, the identifier is
 * used to read the payment from the store.
 */
function paymentIn(input: Input): string | undefined {
  if (input.is === 'hostAsked') return input.request.PaymentReference;
  if (input.is === 'answered') return unwrapTerminalAnswer(input).SaleData.SaleTransactionID.TransactionID;
  return undefined;
}
