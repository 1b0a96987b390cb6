import { findViolatedConstraint } from '../../../shared/database/violated-rule.ts';
import { ApiError } from '../../http/errors.ts';
import { acceptPayment, refuseUnconnected, refuseWhileBusy } from '../../payments/core/accepting.ts';
import { makeWaitingState, noPayment } from '../../payments/core/states.ts';
import type { Input, PaymentFacts, Step } from '../../payments/core/step.ts';
import type { PaymentInputQueue } from '../../payments/moving/payment-engine-adapter.ts';
import { readOpenRowsOnTerminal } from '../../payments/moving/rows.ts';
import type { PaymentEngineMakerParts } from '../../payments/running.ts';
import type { PaymentHintBus } from './payment-hints.ts';

type Accepted = Extract<Input, { is: 'accepted' }>;

interface RemoteTerminalAcceptanceParts
  extends Pick<PaymentEngineMakerParts, 'runtime' | 'store' | 'acquirer'> {
  paymentHints: PaymentHintBus;
  turns: Pick<PaymentInputQueue, 'perform'>;
}

/** The name of the database constraint that allows at most one open payment on a terminal. */
export const oneOpenPaymentConstraint = 'open_payments_terminal';

/**
 * The maximum number of tries to store a payment. The database refuses the payment if the terminal has an open payment.
 * If that open payment has ended by the time this gateway looks for it, this gateway tries again.
 */
const mostTries = 3;

/**
 * Accepts a payment for a terminal that another gateway owns. This gateway first stores the payment, so that the
 * payment's identifier is known whatever happens. The owner finds the payment in the database and delivers it.
 */
export class RemoteTerminalPaymentAcceptor {
  readonly #parts: RemoteTerminalAcceptanceParts;

  constructor(parts: RemoteTerminalAcceptanceParts) {
    this.#parts = parts;
  }

  /**
   * @throws ApiError `terminalNotFound` if the terminal was deleted during the call
   * @throws the database's error if the database refused to store the payment for another reason
   */
  async accept(input: Accepted, tries = mostTries): Promise<Step> {
    const { store, paymentHints } = this.#parts;
    const { terminal_id: id } = input.row;
    if (input.payment.needsLink && !(await this.#hasOwner(id)))
      return this.#take(refuseUnconnected(noPayment, input, this.#facts(id)));
    const begun = acceptPayment(noPayment, input, this.#facts(id));
    const result = await store.commit([{ hold: 'terminals', where: { id } }, ...begun.records]);
    if (result.is === 'applied') {
      paymentHints.offer(input.row);
      return this.#done(begun);
    }
    // When a reversal is stored, the database also checks whether the payment's remaining amount has changed. If the
    // amount has changed, the caller gets the database's error and reads the payment again.
    if (result.because === 'version')
      throw input.taken === undefined ? new ApiError('terminalNotFound') : result.error;
    if (findViolatedConstraint(result.error) !== oneOpenPaymentConstraint) throw result.error;
    const [other] = await store.read((db) => readOpenRowsOnTerminal(db, id));
    if (other) return this.#refuse(input, other.payment_id);
    if (tries > 1) return this.accept(input, tries - 1);
    throw result.error;
  }

  async #refuse(input: Accepted, otherId: string): Promise<Step> {
    const other = makeWaitingState({ ...input.payment, id: otherId });
    return this.#take(refuseWhileBusy(other, input, this.#facts(input.row.terminal_id)));
  }

  /** Stores a payment that was refused at once. Such a payment has already ended, so nothing else is done with it. */
  async #take(refused: Step): Promise<Step> {
    const result = await this.#parts.store.commit(refused.records);
    if (result.is === 'refused') throw result.error;
    return this.#done(refused);
  }

  /**
   * Returns whether the terminal has an owner. A terminal without an owner never dialled any gateway, and no gateway
   * can say whether the terminal is connected.
   */
  async #hasOwner(terminalId: string): Promise<boolean> {
    const owner = await this.#parts.store.read((db) =>
      db
        .selectFrom('terminal_owners')
        .select('terminal_id')
        .where('terminal_id', '=', terminalId)
        .executeTakeFirst(),
    );
    return owner !== undefined;
  }

  /** Writes only the journal entries. The gateway that owns the terminal carries out all other effects. */
  #done(step: Step): Step {
    const effects = step.effects.filter((effect) => effect.do === 'journal');
    this.#parts.turns.perform(effects);
    return { ...step, state: noPayment, effects };
  }

  #facts(terminalId: string): PaymentFacts {
    const { acquirer, runtime } = this.#parts;
    return {
      ...acquirer.facts(terminalId, undefined),
      monotonic: runtime.clock.monotonic(),
      timeouts: runtime.timeouts,
      connected: false,
      stored: undefined,
    };
  }
}
