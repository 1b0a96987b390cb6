import { violatedRule } from '../../../shared/database/violated-rule.ts';
import type { Runtime } from '../../../shared/runtime.ts';
import type { Acquirer } from '../../acquirer/service.ts';
import { ApiError } from '../../http/errors.ts';
import { begin, refuseUnsent, refuseWhileBusy } from '../../payments/core/accepting.ts';
import { none, waiting } from '../../payments/core/states.ts';
import type { Facts, Input, Step } from '../../payments/core/step.ts';
import type { PaymentTurns } from '../../payments/moving/payment-moves.ts';
import { readOpenOn } from '../../payments/moving/rows.ts';
import type { Store } from '../../store/store.ts';
import type { Nudges } from './nudges.ts';

type Accepted = Extract<Input, { is: 'accepted' }>;

interface AcceptElsewhereParts {
  runtime: Runtime;
  store: Store;
  acquirer: Acquirer;
  nudges: Nudges;
  turns: Pick<PaymentTurns, 'perform'>;
}

/** The database's rule that a terminal has at most one open payment. */
export const oneOnTerminal = 'open_payments_terminal';

/** How often a payment is tried if an open payment stood in its way that is over by the time it is looked for. */
const mostTries = 3;

/**
 * Accepts a payment on a terminal that another gateway owns. The payment is stored first, so that its identifier is
 * known whatever happens; the owner finds it in the database and delivers it.
 */
export class AcceptElsewhere {
  readonly #parts: AcceptElsewhereParts;

  constructor(parts: AcceptElsewhereParts) {
    this.#parts = parts;
  }

  /**
   * @throws ApiError `terminalNotFound` if the terminal was deleted meanwhile; otherwise the error for which the
   * database refused the batch
   */
  async accept(input: Accepted, tries = mostTries): Promise<Step> {
    const { store, nudges } = this.#parts;
    const { terminal_id: id } = input.row;
    if (input.payment.needsLink && !(await this.#hasOwner(id)))
      return this.#take(refuseUnsent(none, input, this.#facts(id)));
    const begun = begin(none, input, this.#facts(id));
    const result = await store.commit([{ hold: 'terminals', where: { id } }, ...begun.records]);
    if (result.is === 'applied') {
      nudges.offer(input.row);
      return this.#done(begun);
    }
    // For a reversal, the changed version may also be that of the amount left of its payment: the caller reads the
    // payment again.
    if (result.because === 'version')
      throw input.taken === undefined ? new ApiError('terminalNotFound') : result.error;
    if (violatedRule(result.error) !== oneOnTerminal) throw result.error;
    const [other] = await store.read((db) => readOpenOn(db, id));
    if (other) return this.#refuse(input, other.payment_id);
    if (tries > 1) return this.accept(input, tries - 1);
    throw result.error;
  }

  async #refuse(input: Accepted, otherId: string): Promise<Step> {
    const other = waiting({ ...input.payment, id: otherId });
    return this.#take(refuseWhileBusy(other, input, this.#facts(input.row.terminal_id)));
  }

  /** Stores the refusal of a payment, after which nothing is left to do. */
  async #take(refused: Step): Promise<Step> {
    const result = await this.#parts.store.commit(refused.records);
    if (result.is === 'refused') throw result.error;
    return this.#done(refused);
  }

  /**
   * Whether the terminal has an owner. If the terminal never dialled any gateway, no other gateway can decide whether
   * it has a link.
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

  /** Leaves everything that follows at the terminal to its owner: here only the journal's entries are made. */
  #done(step: Step): Step {
    const effects = step.effects.filter((effect) => effect.do === 'journal');
    this.#parts.turns.perform(effects);
    return { ...step, state: none, effects };
  }

  #facts(terminalId: string): Facts {
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
