import type { Clock } from '../../shared/clock.ts';
import type { CommitResult } from '../../shared/database/change.ts';
import type { InFlightTracker } from '../../shared/in-flight.ts';
import type { UnwrittenEntry } from '../../shared/journal.ts';
import { KeyedTaskQueue } from '../../shared/lanes.ts';
import type { Timeouts } from '../../shared/timeouts.ts';
import {
  Engine,
  type EngineAdapter,
  type InputQueue,
  type WaitForInputAcceptance,
} from '../engine/engine.ts';
import { anyGatewayPartition, type KeyPartition } from '../engine/partition.ts';
import type { EventStore } from '../events/service.ts';
import { throwUnavailableIfFull } from '../http/unavailable-if-full.ts';
import type { CreditRow } from '../store/rows/credits.ts';
import type { RowChange } from '../store/schema.ts';
import { decide } from './core/lifecycle.ts';
import { type Effect, type Input, type State, type Step, stateOf } from './core/step.ts';
import { makeCreditEvent } from './credit-event.ts';
import { makeCreditFacts } from './credit-facts.ts';

/** The credit that a batch changes, and the event that reports the change. */
type Report = Parameters<EventStore['commit']>[1];

interface CreditEngineParts<E> {
  runtime: {
    clock: Pick<Clock, 'now' | 'elapsedSince'>;
    timeouts: Pick<Timeouts, 'securityLockMs'>;
    inFlight: InFlightTracker;
  };
  /** Reads the row of a credit from the database. */
  read(creditId: string): Promise<CreditRow | undefined>;
  /**
   * Commits records. `report` is undefined if the records change only a customer's visit, and not the credit's state.
   */
  commit(records: readonly RowChange[], report: Report | undefined): Promise<CommitResult>;
  /** Makes inputs wait while a test pauses the gateway. */
  held?: WaitForInputAcceptance;
  /** Makes the object that carries out effects. It calls `due` if a link was not used in time. */
  effects(due: (creditId: string) => Promise<unknown>): E;
  decides?: typeof decide;
}

/** There are two kinds of inputs: inputs about a credit on disk, and the input that makes a new credit. */
const onDisk = 'onDisk';
const unmade = 'unmade';

/**
 * The maximum number of decisions on one input. If another gateway has changed the credit in the meantime, the engine
 * decides on the input again.
 */
const mostDecisions = 30;

/**
 * If a new credit cannot be stored, there is no second decision. The decision depends on no stored row, so a second
 * decision would be the same.
 */
const partition = {
  ...(anyGatewayPartition as KeyPartition<Input, Step>),
  learn: (key, refused, input) => input.is !== 'made' && anyGatewayPartition.learn(key, refused, input),
} satisfies KeyPartition<Input, Step>;

/**
 * Makes the engine of credits. The inputs of a credit are handled one after the other, and each decision starts from
 * the row on disk.
 */
export function makeCreditEngine<E extends { run(effects: readonly Effect[]): void }>(
  parts: CreditEngineParts<E>,
) {
  const { runtime, read, commit, held, effects, decides = decide } = parts;
  const moving: EngineAdapter<State, Input, never, Step> = {
    state: (creditId, subject) => (subject === unmade ? stateOf(undefined) : read(creditId).then(stateOf)),
    lookUp: () => undefined,
    isMissed: () => false,
    decide: (_, __, state, input) => decides(state, input, makeCreditFacts(state, runtime)),
    install() {}, // no credit is kept in memory
  };
  return new Engine({
    store: {
      commit: (records, step: Step) => commit(records, records.every(isOfVisit) ? undefined : reportOf(step)),
    },
    lanes: new KeyedTaskQueue(runtime.inFlight),
    mostDecisions,
    held,
    moving,
    partition: () => partition,
    effects: (turns: InputQueue<Input, Step>) =>
      effects((creditId) => handleCreditInput(turns, creditId, { is: 'due' })),
  });
}

/**
 * Handles an input when the credit's turn comes.
 *
 * @throws the database's error if the database refused the changes, or ApiError unavailable if too many inputs wait
 */
export function handleCreditInput(
  turns: InputQueue<Input, Step>,
  creditId: string,
  input: Input,
): Promise<Step> {
  const subject = input.is === 'made' ? unmade : onDisk;
  return throwUnavailableIfFull(turns.put(creditId.toLowerCase(), subject, input));
}

function isOfVisit(change: RowChange): boolean {
  return 'update' in change && change.update === 'credit_visits';
}

function reportOf({ state, told }: Step): Report {
  if (state.is === 'none') return {};
  const { credit } = state;
  const changedRow = { table: 'credits', id: credit.id, version: credit.version } as const;
  return told ? { changedRow, notes: [noteOf(credit)], event: makeCreditEvent(credit) } : { changedRow };
}

function noteOf({ id, state, amount, currency, why }: CreditRow): UnwrittenEntry {
  return { kind: 'credit.changed', data: { state, amount, currency, why }, about: { payment: id } };
}
