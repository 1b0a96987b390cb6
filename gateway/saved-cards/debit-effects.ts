import type { Runtime } from '../../shared/runtime.ts';
import { type DueItem, DueScheduler } from '../engine/due-scheduler.ts';
import type { DutyAssigner } from '../engine/duties.ts';
import type { RefundRow } from '../store/rows/refunds.ts';
import type { DebitRow } from '../store/rows/saved-cards.ts';
import type { StoreParts } from '../store/store.ts';
import type { Effect, Input } from './core/step.ts';
import { readDueRefunds, readExpiringAuthorizations } from './rows.ts';

interface DebitEffectsParts extends StoreParts {
  duties: DutyAssigner;
  /** Called when a debit or refund is due. */
  due(debitId: string, input: Input): Promise<unknown>;
}

interface ComingRefund extends DueItem {
  debitId: string;
}

/** Carries out the effects of debits and their refunds. */
export class DebitEffectRunner {
  readonly #runtime: Runtime;
  readonly #expirations: DueScheduler<DueItem>;
  readonly #refunds: DueScheduler<ComingRefund>;

  constructor({ due, ...parts }: DebitEffectsParts) {
    this.#runtime = parts.runtime;
    this.#expirations = new DueScheduler({
      ...parts,
      name: 'authorizations',
      read: async (tx, before) => (await readExpiringAuthorizations(tx, before)).map(expiryOf),
      run: ({ id }) => due(id, { of: 'debit', is: 'due' }),
      warning: (id, error) =>
        `the end of the authorization of debit ${id} could not be stored; the gateway will try again: ${error}`,
    });
    this.#refunds = new DueScheduler({
      ...parts,
      name: 'refunds',
      read: async (tx, before) => (await readDueRefunds(tx, before)).map((refund) => this.#comingOf(refund)),
      run: ({ id, debitId, dueAt }) => due(debitId, { of: 'refund', is: 'due', id, dueAt }),
      warning: (id, error) =>
        `the next status of refund ${id} could not be stored; the gateway will try again: ${error}`,
    });
  }

  /**
   * Sets the timers for the work that a former process left open. Authorizations that have expired since then are
   * released at once.
   */
  async begin(): Promise<void> {
    await this.#expirations.begin();
    await this.#refunds.begin();
  }

  run(effects: readonly Effect[]): void {
    for (const effect of effects) this.#do(effect);
  }

  /** Stops the timers. After this, the gateway does nothing when a debit or refund becomes due. */
  stop(): void {
    this.#expirations.stop();
    this.#refunds.stop();
  }

  #do(effect: Effect): void {
    switch (effect.do) {
      case 'awaitExpiry':
        return this.#expirations.set(expiryOf(effect.debit));
      case 'forgetExpiry':
        return this.#expirations.clear(effect.debitId);
      case 'awaitRefund':
        return this.#refunds.set(this.#comingOf(effect.refund));
      case 'forgetRefund':
        return this.#refunds.clear(effect.refundId);
      case 'journal': {
        const { kind, data, about } = effect.note;
        this.#runtime.journal.add(kind, data, about);
      }
    }
  }

  /** Gives the time at which a refund goes to its next status. */
  #comingOf({
    id,
    debit_id: debitId,
    status,
    due_at,
  }: Pick<RefundRow, 'id' | 'debit_id' | 'status' | 'due_at'>): ComingRefund {
    const { refundSubmitMs, refundRejectionMs } = this.#runtime.timeouts;
    const fullMs = status === 'processing' ? refundSubmitMs : refundRejectionMs;
    return { id, debitId, dueAt: due_at ?? 0, fullMs };
  }
}

function expiryOf({
  id,
  created_at,
  expires_at,
}: Pick<DebitRow, 'id' | 'created_at' | 'expires_at'>): DueItem {
  const dueAt = expires_at ?? 0;
  return { id, dueAt, fullMs: dueAt - created_at };
}
