import { assign } from '../../shared/database/unit-of-work.ts';
import type { PaymentResponse } from '../../shared/nexo/bodies.ts';
import type { ErrorCondition } from '../../shared/nexo/enums.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { UnreadableMessage } from '../../shared/transport/link.ts';
import type { Acquirer } from '../acquirer/service.ts';
import type { LedgerRow } from '../store/rows/acquirer.ts';
import type { Tx, Unit } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import type { PoiServer } from '../terminals/poi-server.ts';
import { type Charge, chargeOf, chargeText, differenceOf } from './charge.ts';
import type { OpenPayment, OpenPayments } from './open-payments.ts';
import { failureOf, resultOf } from './result-mapping.ts';
import { deleteOpen, insertResult } from './rows.ts';
import type { TransactionResult } from './schemas.ts';
import type { Waiting } from './waiting.ts';

/** How a payment ended, who decided it and why. */
interface Verdict {
  result: TransactionResult;
  /** What the cardholder was charged; undefined on failure. */
  charge?: Charge;
  decidedBy: 'terminal' | 'gateway';
  why: string;
}

/** A verdict in a transaction that is not yet on disk. */
export interface Concluding {
  payment: OpenPayment;
  verdict: Verdict;
  ledgerEntry: LedgerRow | undefined;
  /** The result as JSON, made once: it is stored and sent. */
  text: string;
}

interface ConclusionsParts {
  runtime: Runtime;
  store: Store;
  acquirer: Acquirer;
  poi: PoiServer;
  open: OpenPayments;
  waiting: Waiting;
}

/** Ends payments: result, end at the acquirer and end of waiting, each payment once. */
export class Conclusions {
  readonly #parts: ConclusionsParts;
  #onConcluded: (payment: OpenPayment) => void = () => {};

  constructor(parts: ConclusionsParts) {
    this.#parts = parts;
  }

  /** Calls `concluded` with every payment whose end is on disk. */
  onConcluded(concluded: (payment: OpenPayment) => void): void {
    this.#onConcluded = concluded;
  }

  /**
   * Concludes a payment where `onlyIf` still holds when its turn to be written comes. True when this verdict is
   * the one that counts and is on disk; false where another came before.
   */
  async conclude(
    payment: OpenPayment,
    verdict: Verdict,
    onlyIf: () => boolean = () => true,
  ): Promise<boolean> {
    const concluding = await this.settle(async (unit) =>
      onlyIf() ? this.write(unit, payment, verdict) : undefined,
    );
    return concluding !== undefined;
  }

  /** Runs work that may conclude the payment by {@link write}, and finishes what it concluded once committed. */
  async settle(work: (unit: Unit) => Promise<Concluding | undefined>): Promise<Concluding | undefined> {
    const concluding = await this.#parts.store.write(work);
    if (concluding) this.finish(concluding);
    return concluding;
  }

  /** Writes a verdict in the caller's transaction; undefined where the payment is concluded already. */
  async write(unit: Unit, payment: OpenPayment, given: Verdict): Promise<Concluding | undefined> {
    if (payment.concluding) return undefined;
    assign(unit, payment, { concluding: true });
    const verdict = await this.#checked(unit, payment, given);
    const { result, charge, decidedBy, why } = verdict;
    const failed = result.response.result === 'failure';
    const ledgerEntry = failed ? await this.#parts.acquirer.close(unit, payment) : undefined;
    const text = JSON.stringify(result);
    await insertResult(unit, {
      payment_id: payment.id,
      concluded_at: this.#parts.runtime.clock.now(),
      delivered_at: payment.deliveredAt ?? null,
      abort_requested_at: payment.abortRequestedAt ?? null,
      result: result.response.result,
      error_condition: result.response.errorCondition ?? null,
      total: charge?.total ?? null,
      decided_by: decidedBy,
      why,
      answer: text,
    });
    await deleteOpen(unit, payment.id);
    if (result.response.errorCondition === 'wrongPin' && payment.everyPinWrong)
      await this.#parts.acquirer.foundPinWrong(payment, unit);
    await this.#parts.acquirer.outcomes.drop(unit, payment.id);
    return { payment, verdict, ledgerEntry, text };
  }

  /** A success must be the authorization that stands at the acquirer, or it is none (B134). */
  async #checked(tx: Tx, payment: OpenPayment, verdict: Verdict): Promise<Verdict> {
    const { charge } = verdict;
    if (!charge) return verdict;
    const difference = differenceOf(charge, await this.#parts.acquirer.authorization(tx, payment.id));
    if (difference === undefined) return verdict;
    const why = `the terminal says approved for ${chargeText(charge, payment.currency)}, but ${difference}`;
    return gatewayFailure(payment, 'UnavailableService', why);
  }

  /** What follows a verdict once it is on disk. */
  finish({ payment, verdict, ledgerEntry, text }: Concluding): void {
    const { runtime, open, acquirer, poi, waiting } = this.#parts;
    const { journal } = runtime;
    open.remove(payment);
    acquirer.ledger.forget(payment.id);
    this.#onConcluded(payment);
    if (payment.terminalDeletedAt === undefined) poi.watch(payment.terminalId, false);
    if (ledgerEntry?.kind === 'reversed') acquirer.ledger.journal(ledgerEntry, payment.poiId);
    const { result, errorCondition } = verdict.result.response;
    journal.add(
      'payment.concluded',
      { result, ...(errorCondition === undefined ? {} : { errorCondition }), why: verdict.why },
      { terminal: payment.poiId, payment: payment.id },
    );
    waiting.wake(payment.id, { by: 'result', answer: text });
  }
}

/** A failure that the gateway itself finds. */
export function gatewayFailure(
  payment: { id: string; saleReferenceId?: string },
  errorCondition: ErrorCondition,
  why: string,
): Verdict {
  return { result: failureOf(payment, errorCondition, why), decidedBy: 'gateway', why };
}

/**
 * What a terminal's answer means.
 *
 * @throws UnreadableMessage where it cannot be read
 */
export function terminalVerdict(payment: OpenPayment, response: PaymentResponse): Verdict {
  const result = readable(() => resultOf(response));
  const decidedBy = 'terminal' as const;
  if (result.response.result === 'failure') {
    const { errorCondition, additionalResponse } = result.response;
    const reason = additionalResponse?.refusalReason ?? additionalResponse?.message;
    return { result, decidedBy, why: `the terminal answers ${errorCondition}${reason ? `: ${reason}` : ''}` };
  }
  const charge = chargeOf(payment, response, result);
  return { result, decidedBy, charge, why: 'the terminal answers approved' };
}

/** Percent-encoding that cannot be read is the terminal's fault, not ours. */
export function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof URIError) throw new UnreadableMessage('bad percent-encoding');
    throw error;
  }
}
