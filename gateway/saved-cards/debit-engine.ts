import type { Clock } from '../../shared/clock.ts';
import type { CommitResult } from '../../shared/database/change.ts';
import type { InFlightTracker } from '../../shared/in-flight.ts';
import type { UnwrittenEntry } from '../../shared/journal.ts';
import { KeyedTaskQueue } from '../../shared/lanes.ts';
import { RecentlyUsedCache } from '../../shared/recently-used.ts';
import { type LedgerEntryValueGenerator, makeLedgerJournalNote } from '../acquirer/entries.ts';
import {
  Engine,
  type EngineAdapter,
  type InputQueue,
  type WaitForInputAcceptance,
} from '../engine/engine.ts';
import { anyGatewayPartition, type KeyPartition } from '../engine/partition.ts';
import type { EventStore } from '../events/service.ts';
import { throwUnavailableIfFull } from '../http/unavailable-if-full.ts';
import type { RefundRow } from '../store/rows/refunds.ts';
import type { DebitRow, SavedCardRow } from '../store/rows/saved-cards.ts';
import type { RowChange } from '../store/schema.ts';
import { decide, needsCard } from './core/lifecycle.ts';
import type { DebitFacts, Effect, Input, Step, StoredDebit } from './core/step.ts';
import { makeDebitEvent } from './debit-event.ts';
import { makeDebitFacts } from './debit-facts.ts';
import { makeRefundEvent } from './refund-event.ts';

/** The debit that a batch of changes belongs to, and the event about the debit. */
type Report = Parameters<EventStore['commit']>[1];

interface DebitEngineParts<E> {
  runtime: {
    clock: Pick<Clock, 'now' | 'elapsedSince'>;
    timeouts: DebitFacts['timeouts'];
    inFlight: InFlightTracker;
  };
  dice: LedgerEntryValueGenerator;
  /** Reads everything that is stored about a debit. */
  read(debitId: string): Promise<StoredDebit | undefined>;
  /** Gives the present state of a debit's card. */
  cardOf(debit: DebitRow): Promise<SavedCardRow>;
  commit(records: readonly RowChange[], report: Report): Promise<CommitResult>;
  /** The debits that are kept in memory; undefined if other gateways change debits too. */
  recent: RecentDebits | undefined;
  /** Makes inputs wait while a test pauses the gateway. */
  held?: WaitForInputAcceptance;
  /**
   * Makes the object that carries out effects. When a debit or refund is due, that object hands an input to `turns`.
   */
  effects(turns: InputQueue<Input, Step>): E;
  decides?: typeof decide;
}

export type RecentDebits = RecentlyUsedCache<StoredDebit>;

/**
 * The maximum number of debits in memory. Each debit takes a kilobyte. A refund is usually for a debit that was charged
 * not long ago.
 */
const mostRecent = 10_000;

export function makeRecentDebits(): RecentDebits {
  return new RecentlyUsedCache(mostRecent);
}

/**
 * The subject of an input: `stored` for an input about a stored debit, `unmade` for an input that makes a new debit.
 */
const stored = 'stored';
const unmade = 'unmade';

/**
 * The maximum number of decisions on one input. If another gateway changes the debit between a decision and its commit,
 * the gateway decides again.
 */
const mostDecisions = 30;

/** Makes the engine of debits. The inputs of a debit and its refunds are handled one after the other. */
export function makeDebitEngine<E extends { run(effects: readonly Effect[]): void }>(
  parts: DebitEngineParts<E>,
) {
  const { runtime, dice, read, cardOf, commit, recent, held, effects, decides = decide } = parts;
  const moving: EngineAdapter<StoredDebit | undefined, Input, SavedCardRow, Step> = {
    state: (debitId, subject) => (subject === unmade ? undefined : (recent?.get(debitId) ?? read(debitId))),
    lookUp: (debit, input) => (debit && needsCard(debit, input) ? cardOf(debit.debit) : undefined),
    isMissed: () => false,
    decide: (_, __, debit, input, card) => decides(debit, input, makeDebitFacts(debit, card, runtime, dice)),
    install: (_, { stored: debit }) => debit && recent?.set(debit.debit.id, debit),
  };
  const partition = {
    ...(anyGatewayPartition as KeyPartition<Input, Step>),
    learn(debitId, refused, input) {
      recent?.delete(debitId);
      return !isOrder(input) && anyGatewayPartition.learn(debitId, refused, input);
    },
  } satisfies KeyPartition<Input, Step>;
  return new Engine({
    store: { commit: (records, step: Step) => commit(records, reportOf(step)) },
    lanes: new KeyedTaskQueue(runtime.inFlight),
    mostDecisions,
    held,
    moving,
    partition: () => partition,
    effects,
  });
}

/**
 * Handles an input when it is the debit's turn.
 *
 * @throws the database's error if the database refused the changes; ApiError unavailable if too many inputs wait
 */
export function handleDebitInput(
  turns: InputQueue<Input, Step>,
  debitId: string,
  input: Input,
): Promise<Step> {
  return throwUnavailableIfFull(turns.put(debitId.toLowerCase(), isOrder(input) ? unmade : stored, input));
}

/** Returns whether an input makes a new debit. The decision about such an input does not depend on stored data. */
function isOrder({ is }: Input): boolean {
  return is === 'chargeOrdered' || is === 'holdOrdered';
}

function reportOf({ stored, refund, entries, told }: Step): Report {
  if (!stored) return {};
  const { debit } = stored;
  const changedRow = { table: 'debits', id: debit.id, version: debit.version } as const;
  const notes = entries.map((entry) => makeLedgerJournalNote(entry, undefined));
  if (told === 'debit')
    return { changedRow, notes: [...notes, debitNote(debit)], event: makeDebitEvent(debit) };
  if (told === 'refund' && refund)
    return { changedRow, notes: [...notes, refundNote(refund)], event: makeRefundEvent(refund) };
  return { changedRow, notes };
}

function debitNote({ id, state, amount, surcharge, currency, why }: DebitRow): UnwrittenEntry {
  const data = { state, amount: amount + surcharge, currency, why };
  return { kind: 'debit.changed', data, about: { payment: id } };
}

function refundNote({ id, debit_id, status, amount, currency, why }: RefundRow): UnwrittenEntry {
  const data = { refund: id, status, amount, currency, why };
  return { kind: 'refund.changed', data, about: { payment: debit_id } };
}
