import type { Runtime } from '../../shared/runtime.ts';
import { type DueItem, DueScheduler } from '../engine/due-scheduler.ts';
import type { DutyAssigner } from '../engine/duties.ts';
import type { CreditRow } from '../store/rows/credits.ts';
import type { StoreParts } from '../store/store.ts';
import type { Effect } from './core/step.ts';
import { readExpiringCredits } from './rows.ts';

interface CreditEffectsParts extends StoreParts {
  duties: DutyAssigner;
  /** Called when a link was not used in time. */
  due(creditId: string): Promise<unknown>;
}

/** Carries out the effects of credits. */
export class CreditEffectRunner {
  readonly #runtime: Runtime;
  readonly #expirations: DueScheduler<DueItem>;

  constructor({ runtime, store, duties, due }: CreditEffectsParts) {
    this.#runtime = runtime;
    this.#expirations = new DueScheduler({
      runtime,
      store,
      duties,
      name: 'links',
      read: async (tx, before) => (await readExpiringCredits(tx, before)).map(expiryOf),
      run: ({ id }) => due(id),
      warning: (id, error) =>
        `the expiry of credit ${id} could not be stored; the gateway will try again: ${error}`,
    });
  }

  /** Sets the timers for the links that a former process left open. */
  begin(): Promise<void> {
    return this.#expirations.begin();
  }

  run(effects: readonly Effect[]): void {
    for (const effect of effects) this.#do(effect);
  }

  /** Stops the timers. After this call, no timer of this gateway ends a link that has expired. */
  stop(): void {
    this.#expirations.stop();
  }

  #do(effect: Effect): void {
    switch (effect.do) {
      case 'journal': {
        const { kind, data, about } = effect.note;
        this.#runtime.journal.add(kind, data, about);
        break;
      }
      case 'awaitExpiry':
        this.#expirations.set(expiryOf(effect.credit));
        break;
      case 'forgetExpiry':
        this.#expirations.clear(effect.creditId);
    }
  }
}

function expiryOf({
  id,
  created_at,
  expires_at,
}: Pick<CreditRow, 'id' | 'created_at' | 'expires_at'>): DueItem {
  return { id, dueAt: expires_at, fullMs: expires_at - created_at };
}
