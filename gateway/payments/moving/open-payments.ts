import type { OpenState, State } from '../core/states.ts';
import { noPayment } from '../core/states.ts';

/** The open payments, as they are stored. A terminal has at most one open payment (B37). */
export class OpenPayments {
  readonly #byId = new Map<string, OpenState>();
  readonly #byTerminal = new Map<string, OpenState>();

  /** Replaces the former state of a payment by the next state. */
  install(former: State, next: State): void {
    if (former.is !== 'none' && (next.is === 'none' || next.payment.id !== former.payment.id))
      this.#remove(former);
    if (next.is === 'none') return;
    this.#byId.set(next.payment.id, next);
    const { terminalId } = next.payment;
    if (next.is !== 'abandoned') this.#byTerminal.set(terminalId, next);
    else if (this.#byTerminal.get(terminalId)?.payment.id === next.payment.id)
      this.#byTerminal.delete(terminalId);
  }

  byId(id: string): State {
    return this.#byId.get(id) ?? noPayment;
  }

  onTerminal(terminalId: string): State {
    return this.#byTerminal.get(terminalId) ?? noPayment;
  }

  /**
   * Gives all open payments of a terminal. If a deleted terminal with the same identifier still has an open payment,
   * that payment is included.
   */
  ofTerminal(terminalId: string): OpenState[] {
    return [...this.#byId.values()].filter(({ payment }) => payment.terminalId === terminalId);
  }

  /** Returns whether the terminal has shown that it has the payment. */
  isOnTerminal(id: string): boolean {
    const state = this.byId(id);
    return state.is !== 'none' && state.is !== 'waiting' && state.onTerminal;
  }

  /** The terminals that have an open payment. */
  get terminals(): string[] {
    return [...new Set([...this.#byId.values()].map(({ payment }) => payment.terminalId))];
  }

  #remove({ payment: { id, terminalId } }: OpenState): void {
    this.#byId.delete(id);
    if (this.#byTerminal.get(terminalId)?.payment.id === id) this.#byTerminal.delete(terminalId);
  }
}
