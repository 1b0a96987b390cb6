import type { KeyedTaskQueue } from '../../shared/lanes.ts';
import type { MemoryCopyUpdater } from '../engine/memory-copies.ts';
import { retryIfOvertaken, waitUntilCommitApplied } from '../engine/overtaken.ts';
import type { PresetOutcomeRow } from '../store/rows/acquirer.ts';
import type { RowChange } from '../store/schema.ts';
import type { StoreParts } from '../store/store.ts';
import { type HostOutcome, hostOutcomeSchema, type PresetOutcome } from './schemas.ts';

/**
 * A change of outcomes. `set` has the new outcome of a payment or terminal, which replaces the former one. `clear`
 * names the payment or terminal whose outcome is removed.
 */
export type OutcomeChange = { set: PresetOutcome } | { clear: string };

/** The outcomes that are set for a payment and for its terminal. */
interface Subjects {
  payment: PresetOutcome | undefined;
  terminal: PresetOutcome | undefined;
}

/**
 * Returns the terminal's outcome that waits for the next payment (`once`). Returns undefined if this payment already
 * has an outcome of its own.
 */
export function findPendingOnceOutcome({ payment, terminal }: Subjects): PresetOutcome | undefined {
  return terminal?.mode === 'once' && !payment ? terminal : undefined;
}

/**
 * Makes the terminal's outcome for the next payment (`once`) the outcome of this payment, so that this outcome affects
 * no other payment (B129).
 */
export function bindOnceOutcome<Facts extends { outcomes: Subjects }>(
  paymentId: string,
  facts: Facts,
): { facts: Facts; outcomes: readonly OutcomeChange[] } {
  const entry = findPendingOnceOutcome(facts.outcomes);
  if (!entry) return { facts, outcomes: [] };
  const { subject, outcome: bound } = entry;
  const payment: PresetOutcome = { scope: 'payment', subject: paymentId, mode: 'once', outcome: bound };
  return {
    facts: { ...facts, outcomes: { payment, terminal: undefined } },
    outcomes: [{ clear: subject }, { set: payment }],
  };
}

/** Returns the database changes that store changes of outcomes. */
export function makeOutcomeRowChanges(changes: readonly OutcomeChange[], now: number): RowChange[] {
  return changes.flatMap((change): RowChange[] => {
    const subject = 'set' in change ? change.set.subject : change.clear;
    const dropped: RowChange = { delete: 'outcomes', where: { subject }, rows: 'any' };
    if ('clear' in change) return [dropped];
    const { scope, mode, outcome: set } = change.set;
    const row = { subject, scope, mode, outcome: JSON.stringify(set), set_at: now };
    return [dropped, { insert: 'outcomes', row }];
  });
}

/**
 * Returns whether an outcome determines what the host answers. Other outcomes determine only the time of the answer.
 */
export function choosesAnswer(
  entry: HostOutcome | undefined,
): entry is Extract<HostOutcome, { type: 'approve' | 'decline' | 'wrongPin' }> {
  return entry !== undefined && entry.type !== 'silent' && entry.type !== 'late';
}

interface OutcomesParts extends StoreParts {
  lanes: KeyedTaskQueue;
  /**
   * Returns the terminal of a payment. A change of the payment's outcome waits in the queue of inputs of this terminal.
   */
  laneOf(paymentId: string): string;
  copies: MemoryCopyUpdater;
}

/**
 * The outcomes that tests set. They are stored in the database, and also kept in memory because every payment needs
 * them.
 *
 * If an outcome is set for `once` on a terminal, it becomes the outcome of the first payment on which it has an effect.
 * An outcome has an effect when the terminal asks the host, or when the outcome makes the terminal treat a PIN as
 * wrong. If the terminal refuses a payment without asking the host, the outcome still waits for the next payment.
 */
export class PresetOutcomes {
  readonly #parts: OutcomesParts;
  readonly #set = new Map<string, PresetOutcome>();

  private constructor(parts: OutcomesParts) {
    this.#parts = parts;
    parts.copies.keep('outcomes', {
      known: () => this.#set.keys(),
      install: (subject, row) => void (row ? this.#put(row) : this.#set.delete(subject)),
    });
  }

  static async open(parts: OutcomesParts): Promise<PresetOutcomes> {
    const outcomes = new PresetOutcomes(parts);
    const rows = await parts.store.read((db) => db.selectFrom('outcomes').selectAll().execute());
    for (const row of rows) outcomes.#put(row);
    return outcomes;
  }

  #put({ subject, scope, mode, outcome: json }: PresetOutcomeRow): void {
    this.#set.set(subject, { subject, scope, mode, outcome: hostOutcomeSchema.parse(JSON.parse(json)) });
  }

  /**
   * Sets an outcome. It applies to one payment, to the next payment of a terminal, or to all payments of a terminal. It
   * replaces the outcome that was set before.
   */
  async set(entry: PresetOutcome): Promise<void> {
    const { scope, subject, mode } = entry;
    await this.#change(scope, subject, { set: entry });
    this.#parts.runtime.journal.add(
      'outcome.set',
      { scope: scope === 'terminal' ? `${scope} ${mode}` : scope, outcome: entry.outcome },
      scope === 'payment' ? { payment: subject } : {},
    );
  }

  /** Removes the outcome that is set for a payment or terminal. If no outcome is set, nothing changes. */
  async clear(subject: string): Promise<void> {
    const scope = this.#set.get(subject)?.scope;
    if (scope) await this.#change(scope, subject, { clear: subject });
  }

  list(): PresetOutcome[] {
    return [...this.#set.values()];
  }

  plannedFor(subject: string): PresetOutcome | undefined {
    return this.#set.get(subject);
  }

  /** Changes the outcomes in memory. The same changes are already stored. */
  install(changes: readonly OutcomeChange[]): void {
    for (const change of changes) {
      const subject = 'set' in change ? change.set.subject : change.clear;
      this.#set.delete(subject);
      if ('set' in change) this.#set.set(subject, change.set);
      this.#parts.copies.changed('outcomes', subject);
    }
  }

  #change(scope: PresetOutcome['scope'], subject: string, change: OutcomeChange): Promise<void> {
    const { lanes, laneOf, store, runtime, copies } = this.#parts;
    return lanes.turn(scope === 'terminal' ? subject : laneOf(subject), async () => {
      const changes = makeOutcomeRowChanges([change], runtime.clock.now());
      await retryIfOvertaken(copies, () => waitUntilCommitApplied(store.commit(changes)));
      this.install([change]);
    });
  }
}
