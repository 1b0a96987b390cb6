import type { CommitResult } from '../../shared/database/change.ts';
import type { Lanes } from '../../shared/lanes.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { Acquirer } from '../acquirer/service.ts';
import type { Change } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import type { PoiServer } from '../terminals/poi-server.ts';
import type { Effect } from './effects.ts';
import type { Keys } from './keys.ts';
import { decide } from './lifecycle.ts';
import type { OpenPayments } from './open-payments.ts';
import { findStored } from './rows.ts';
import type { State } from './states.ts';
import type { Facts, Input, Step, StoredPayment } from './step.ts';

/** How often an input is decided again where a row was not what the decision saw. */
const mostDecisions = 3;

interface PaymentLanesParts {
  runtime: Runtime;
  store: Store;
  lanes: Lanes;
  acquirer: Acquirer;
  poi: PoiServer;
  open: OpenPayments;
  keys: Keys;
}

/** Who says whether a terminal is this gateway's, where several share a database. */
export interface Owner {
  /** Makes the terminal this gateway's where the input wants that. */
  before(terminalId: string, input: Input): Promise<void> | undefined;
  owns(terminalId: string): boolean;
  /** Takes an input for a terminal that is not this gateway's. */
  elsewhere(terminalId: string, input: Input): Promise<Step>;
  /** Refuses a batch where the terminal is not this gateway's any more. */
  hold(terminalId: string): Change;
  /** Takes up what others accepted on a terminal of this gateway's. */
  adopt(terminalId: string): Promise<void>;
  /** Finds out what a refused batch did not know; gives whether it is worth deciding again. */
  learn(terminalId: string, refused: Refused, input: Input): Promise<boolean>;
}

export type Refused = Extract<CommitResult, { is: 'refused' }>;

/** Which payment an input is for: the one of this identifier, or whichever is on the terminal. */
type Subject = string | 'onTerminal';

/**
 * Each terminal's inputs, one after the other: decided on what is on disk, committed, and only then true and followed by
 * its effects. Where the commit is refused nothing has happened.
 */
export class PaymentLanes {
  readonly #parts: PaymentLanesParts;
  #run: (effects: readonly Effect[]) => void = () => {};
  #owner: Owner | undefined;

  constructor(parts: PaymentLanesParts) {
    this.#parts = parts;
  }

  /** Lets `run` do the effects. */
  onEffects(run: (effects: readonly Effect[]) => void): void {
    this.#run = run;
  }

  /** Lets `owner` say which terminals are this gateway's; without one all are. */
  ownedBy(owner: Owner): void {
    this.#owner = owner;
  }

  /**
   * Takes an input in its turn. `input` may be made then, on what is true then; where it gives none, nothing happens.
   * Resolves when its effects are done.
   *
   * @throws what refused its records, LaneFull, or what the decision throws
   */
  put(terminalId: string, subject: Subject, input: Input | (() => Input)): Promise<Step>;
  put(terminalId: string, subject: Subject, input: () => Input | undefined): Promise<Step | undefined>;
  put(
    terminalId: string,
    subject: Subject,
    input: Input | (() => Input | undefined),
  ): Promise<Step | undefined> {
    return this.#parts.lanes.turn(terminalId, () => {
      const given = typeof input === 'function' ? input() : input;
      if (!given) return undefined;
      const owning = this.#owner?.before(terminalId, given);
      return owning
        ? owning.then(() => this.take(terminalId, subject, given))
        : this.take(terminalId, subject, given);
    });
  }

  /** A turn of the terminal's for several inputs. */
  turn<Result>(terminalId: string, work: () => Promise<Result>): Promise<Result> {
    return this.#parts.lanes.turn(terminalId, work);
  }

  /** Takes an input within a turn of the terminal's. */
  take(terminalId: string, subject: Subject, input: Input): Step | Promise<Step> {
    return this.#take(terminalId, subject, input, mostDecisions);
  }

  #take(terminalId: string, subject: Subject, input: Input, decisions: number): Step | Promise<Step> {
    const { open, store, acquirer } = this.#parts;
    if (this.#owner?.owns(terminalId) === false) return this.#owner.elsewhere(terminalId, input);
    const state = subject === 'onTerminal' ? open.onTerminal(terminalId) : open.byId(subject);
    const decided = (stored?: StoredPayment) =>
      this.#move(terminalId, subject, state, input, stored, decisions);
    const names = state.is === 'none' ? paymentIn(input) : undefined;
    if (names === undefined) return decided();
    return store
      .read((db) => findStored(db, names, acquirer.ledger))
      .then((stored) => {
        const isOpen = stored?.terminalId === terminalId && stored.concluded === null;
        if (!this.#owner || !isOpen || decisions === 1) return decided(stored);
        const again = () => this.#take(terminalId, subject, input, decisions - 1);
        return this.#owner.adopt(terminalId).then(again);
      });
  }

  #move(
    terminalId: string,
    subject: Subject,
    state: State,
    input: Input,
    stored: StoredPayment | undefined,
    decisions: number,
  ): Step | Promise<Step> {
    const step = decide(state, input, this.#facts(terminalId, subject, state, stored));
    const records = this.#owner ? owned(this.#owner.hold(terminalId), step) : step.records;
    if (records.length === 0) return this.#install(state, step);
    return this.#parts.store.commit(records).then((result) => {
      if (result.is === 'applied') return this.#install(state, step);
      const again = (learned: boolean) => {
        if (learned && decisions > 1) return this.#take(terminalId, subject, input, decisions - 1);
        throw result.error;
      };
      if (this.#owner) return this.#owner.learn(terminalId, result, input).then(again);
      return again(result.because === 'version');
    });
  }

  #install(former: State, step: Step): Step {
    const { open, acquirer, keys } = this.#parts;
    open.install(former, step.state);
    acquirer.outcomes.install(step.outcomes);
    const ended = step.concluded?.payment;
    if (ended && ended.idempotencyKey !== null) keys.concluded(ended, ended.idempotencyKey);
    this.#run(step.effects);
    return step;
  }

  #facts(terminalId: string, subject: Subject, state: State, stored: StoredPayment | undefined): Facts {
    const { acquirer, runtime, poi } = this.#parts;
    const named = subject === 'onTerminal' ? undefined : subject;
    const paymentId = state.is === 'none' ? named : state.payment.id;
    return {
      ...acquirer.facts(terminalId, paymentId),
      monotonic: runtime.clock.monotonic(),
      timeouts: runtime.timeouts,
      connected: poi.isConnected(terminalId),
      stored,
    };
  }
}

/** Whoever was overtaken changes nothing, nor sends a payment. */
function owned(hold: Change, { records, effects }: Step): readonly Change[] {
  const matters = records.length > 0 || effects.some((effect) => effect.do === 'deliver');
  return matters ? [hold, ...records] : [];
}

/** The payment that a terminal's message names, which is looked up where it is not open. */
function paymentIn(input: Input): string | undefined {
  if (input.is === 'hostAsked') return input.request.PaymentReference;
  if (input.is === 'answered') return input.response.SaleData.SaleTransactionID.TransactionID;
  return undefined;
}
