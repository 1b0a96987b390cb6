import type { Runtime } from '../../shared/runtime.ts';
import type { DutyAssigner } from '../engine/duties.ts';
import type { InputQueue, WaitForInputAcceptance } from '../engine/engine.ts';
import type { EventStore } from '../events/service.ts';
import type { GatewayStore } from '../store/store.ts';
import type { Effect, Input, Step } from './core/step.ts';
import { CreditEffectRunner } from './credit-effects.ts';
import { handleCreditInput, makeCreditEngine } from './credit-engine.ts';
import { readCreditById } from './rows.ts';

/** The engine of credits over the gateway's database. */
export class CreditInputQueue {
  readonly #turns: InputQueue<Input, Step>;
  readonly #effects: CreditEffectRunner;

  private constructor(turns: InputQueue<Input, Step>, effects: CreditEffectRunner) {
    this.#turns = turns;
    this.#effects = effects;
  }

  /** Opens the engine, and sets the timers for the links that a former process left open. */
  static async open(parts: {
    runtime: Runtime;
    store: GatewayStore;
    events: EventStore;
    duties: DutyAssigner;
    held?: WaitForInputAcceptance;
  }): Promise<CreditInputQueue> {
    const { store, events } = parts;
    const engine = makeCreditEngine({
      ...parts,
      read: (creditId) => store.read((tx) => readCreditById(tx, creditId)),
      commit: (records, report) => (report ? events.commit(records, report) : store.commit(records)),
      effects: (due) => new CreditEffectRunner({ ...parts, due }),
    });
    await engine.effects.begin();
    return new CreditInputQueue(engine, engine.effects);
  }

  /**
   * Handles an input when the credit's turn comes.
   *
   * @throws the database's error if the database refused the changes, or ApiError unavailable if too many inputs wait
   */
  put(creditId: string, input: Input): Promise<Step> {
    return handleCreditInput(this.#turns, creditId, input);
  }

  /** Carries out effects that are not the result of a step. */
  perform(effects: readonly Effect[]): void {
    this.#turns.perform(effects);
  }

  /** Stops the timers. After this call, no timer of this gateway ends a link that has expired. */
  stop(): void {
    this.#effects.stop();
  }
}
