import type { Lanes } from '../../shared/lanes.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { Acquirer } from '../acquirer/service.ts';
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

/** Which payment an input is for: the one of this identifier, or whichever is on the terminal. */
type Subject = string | 'onTerminal';

/**
 * Each terminal's inputs, one after the other: decided on what is on disk, committed, and only then true and followed by
 * its effects. Where the commit is refused nothing has happened.
 */
export class PaymentLanes {
  readonly #parts: PaymentLanesParts;
  #run: (effects: readonly Effect[]) => void = () => {};

  constructor(parts: PaymentLanesParts) {
    this.#parts = parts;
  }

  /** Lets `run` do the effects. */
  onEffects(run: (effects: readonly Effect[]) => void): void {
    this.#run = run;
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
      return given && this.#take(terminalId, subject, given, mostDecisions);
    });
  }

  #take(terminalId: string, subject: Subject, input: Input, decisions: number): Step | Promise<Step> {
    const { open, store, acquirer } = this.#parts;
    const state = subject === 'onTerminal' ? open.onTerminal(terminalId) : open.byId(subject);
    const decided = (stored?: StoredPayment) =>
      this.#move(terminalId, subject, state, input, stored, decisions);
    const names = state.is === 'none' ? paymentIn(input) : undefined;
    return names === undefined
      ? decided()
      : store.read((db) => findStored(db, names, acquirer.ledger)).then(decided);
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
    if (step.records.length === 0) return this.#install(state, step);
    return this.#parts.store.commit(step.records).then((result) => {
      if (result.is === 'applied') return this.#install(state, step);
      if (result.because === 'version' && decisions > 1)
        return this.#take(terminalId, subject, input, decisions - 1);
      throw result.error;
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

/** The payment that a terminal's message names, which is looked up where it is not open. */
function paymentIn(input: Input): string | undefined {
  if (input.is === 'hostAsked') return input.request.PaymentReference;
  if (input.is === 'answered') return input.response.SaleData.SaleTransactionID.TransactionID;
  return undefined;
}
