import { put } from '../../shared/database/unit-of-work.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { Unit } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import { type Outcome, outcome, type SetOutcome } from './schemas.ts';

/**
 * The outcomes that tests set: kept on disk, and in memory because every payment asks.
 *
 * An outcome set once on a terminal becomes that of the first payment on which it acts: when the host is asked, or
 * when the terminal finds a PIN wrong because of it. A payment that the terminal refuses by itself leaves it in place.
 */
export class Outcomes {
  #runtime: Runtime;
  #store: Store;
  #set = new Map<string, SetOutcome>();

  private constructor(runtime: Runtime, store: Store) {
    this.#runtime = runtime;
    this.#store = store;
  }

  static async open(runtime: Runtime, store: Store): Promise<Outcomes> {
    const outcomes = new Outcomes(runtime, store);
    const rows = await store.read((db) => db.selectFrom('outcomes').selectAll().execute());
    for (const { subject, scope, mode, outcome: json } of rows)
      outcomes.#set.set(subject, { subject, scope, mode, outcome: outcome.parse(JSON.parse(json)) });
    return outcomes;
  }

  /** Sets what happens to a payment, or to the next or every payment of a terminal; replaces a former one. */
  async set(entry: SetOutcome): Promise<void> {
    await this.#store.write((unit) => this.#put(unit, entry));
    const { scope, subject, mode } = entry;
    this.#runtime.journal.add(
      'outcome.set',
      { scope: scope === 'terminal' ? `${scope} ${mode}` : scope, outcome: entry.outcome },
      scope === 'payment' ? { payment: subject } : {},
    );
  }

  /** Clears it; where none is set, nothing changes. */
  async clear(subject: string): Promise<void> {
    await this.#store.write((unit) => this.drop(unit, subject));
  }

  list(): SetOutcome[] {
    return [...this.#set.values()];
  }

  of(subject: string): SetOutcome | undefined {
    return this.#set.get(subject);
  }

  /** What a terminal has for the first payment on which it acts, where that has nothing of its own. */
  pending(terminalId: string, paymentId: string): SetOutcome | undefined {
    const entry = this.#set.get(terminalId);
    return entry?.mode === 'once' && !this.#set.has(paymentId) ? entry : undefined;
  }

  /** The outcome pending on a terminal acts on this payment, and so on no other (B129). */
  async bind(unit: Unit, terminalId: string, paymentId: string): Promise<void> {
    const entry = this.pending(terminalId, paymentId);
    if (!entry) return;
    await this.drop(unit, terminalId);
    await this.#put(unit, { scope: 'payment', subject: paymentId, mode: 'once', outcome: entry.outcome });
  }

  /** Forgets the outcome of a payment that is over. */
  async drop(unit: Unit, subject: string): Promise<void> {
    if (!this.#set.has(subject)) return;
    put(unit, this.#set, subject, undefined);
    await unit.deleteFrom('outcomes').where('subject', '=', subject).execute();
  }

  async #put(unit: Unit, entry: SetOutcome): Promise<void> {
    await this.drop(unit, entry.subject);
    put(unit, this.#set, entry.subject, entry);
    await unit
      .insertInto('outcomes')
      .values({
        subject: entry.subject,
        scope: entry.scope,
        mode: entry.mode,
        outcome: JSON.stringify(entry.outcome),
        set_at: this.#runtime.clock.now(),
      })
      .execute();
  }
}

/** Whether an outcome chooses the host's answer, or only when it comes. */
export function choosesAnswer(
  entry: Outcome | undefined,
): entry is Extract<Outcome, { type: 'approve' | 'decline' | 'wrongPin' }> {
  return entry !== undefined && entry.type !== 'silent' && entry.type !== 'late';
}
