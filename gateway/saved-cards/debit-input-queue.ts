import type { LedgerEntryValueGenerator } from '../acquirer/entries.ts';
import type { DutyAssigner } from '../engine/duties.ts';
import type { InputQueue, WaitForInputAcceptance } from '../engine/engine.ts';
import type { EventStore } from '../events/service.ts';
import type { GatewayStore, StoreParts } from '../store/store.ts';
import type { CardAndBankAccountDirectory } from './card-directory.ts';
import type { Input, Step, StoredDebit } from './core/step.ts';
import { DebitEffectRunner } from './debit-effects.ts';
import { handleDebitInput, makeDebitEngine, makeRecentDebits, type RecentDebits } from './debit-engine.ts';
import { loadStoredDebit } from './load-stored-debit.ts';

interface DebitTurnsParts extends StoreParts {
  events: EventStore;
  directory: CardAndBankAccountDirectory;
  dice: LedgerEntryValueGenerator;
  duties: DutyAssigner;
  held?: WaitForInputAcceptance;
}

/** The engine that handles debits and refunds, and stores them in the gateway's database. */
export class DebitInputQueue {
  readonly #store: GatewayStore;
  readonly #recent: RecentDebits | undefined;
  readonly #turns: InputQueue<Input, Step>;
  readonly #effects: DebitEffectRunner;

  private constructor(parts: DebitTurnsParts) {
    const { store, events, directory } = parts;
    this.#store = store;
    this.#recent = store.isShared ? undefined : makeRecentDebits();
    const engine = makeDebitEngine({
      ...parts,
      recent: this.#recent,
      read: (debitId) => this.#read(debitId),
      cardOf: (debit) => directory.cardOf(debit),
      commit: (records, report) => events.commit(records, report),
      effects: (turns) =>
        new DebitEffectRunner({ ...parts, due: (debitId, input) => handleDebitInput(turns, debitId, input) }),
    });
    this.#turns = engine;
    this.#effects = engine.effects;
  }

  /** Opens the engine. It continues with the debits and refunds that a former process left open. */
  static async open(parts: DebitTurnsParts): Promise<DebitInputQueue> {
    const turns = new DebitInputQueue(parts);
    await turns.#effects.begin();
    return turns;
  }

  /**
   * Handles an input when it is the debit's turn.
   *
   * @throws the database's error if the database refused the changes; ApiError unavailable if too many inputs wait
   */
  put(debitId: string, input: Input): Promise<Step> {
    return handleDebitInput(this.#turns, debitId, input);
  }

  /** Gives everything that is stored about a debit. */
  async stored(debitId: string): Promise<StoredDebit | undefined> {
    const id = debitId.toLowerCase();
    return this.#recent?.get(id) ?? this.#read(id);
  }

  /** Stops the timers. After this, the gateway does nothing when a debit or refund becomes due. */
  stop(): void {
    this.#effects.stop();
  }

  #read(debitId: string): Promise<StoredDebit | undefined> {
    return this.#store.read((db) => loadStoredDebit(db, debitId));
  }
}
