import type { CommitResult } from '../../shared/database/change.ts';
import type { KeyedTaskQueue } from '../../shared/lanes.ts';
import type { RowChange } from '../store/schema.ts';
import type { KeyPartition } from './partition.ts';

/**
 * The maximum number of decisions on one input, unless the caller gives another number. If a row has changed since it
 * was read, the engine decides on the input again.
 */
const usualDecisions = 3;

/** The result of deciding on an input. If `records` cannot be stored, the decision has no effect. */
interface Decision {
  readonly records: readonly RowChange[];
  readonly effects: readonly unknown[];
}

/**
 * Tells the engine how one kind of thing, such as a payment, is handled. It says where the state is kept, what a
 * decision needs, and how the decision is made.
 */
export interface EngineAdapter<State, Input, Known, Step extends Decision> {
  /** Gives the state as it is on disk. If several things share the key, `subject` names one of them. */
  state(key: string, subject: string): State | Promise<State>;
  /**
   * Reads from the store the values that the decision needs, except those that are in memory. Returns undefined if
   * memory has everything.
   */
  lookUp(state: State, input: Input): Promise<Known | undefined> | undefined;
  /** Returns whether `known` was read from the store although it belongs to this key and should have been in memory. */
  isMissed(key: string, known: Known): boolean;
  /**
   * Decides on an input. The decision depends on the state, the value that was read, and other values in memory. This
   * function changes nothing. If a deadline in the state has passed, the function handles the deadline before the
   * input.
   */
  decide(key: string, subject: string, state: State, input: Input, known: Known | undefined): Step;
  /**
   * Replaces the former state in memory by the state of the step. This is called after the step's records were stored.
   */
  install(former: State, step: Step): void;
}

/** Queues inputs. Inputs with the same key are decided on one after the other. */
export interface InputQueue<Input, Step extends Decision> {
  /**
   * Decides on an input when its turn comes. If `input` is a function, it is called at that time. If the function
   * returns undefined, nothing happens. Resolves when the effects have been carried out.
   *
   * @throws the database's error if the database refused the records, TaskQueueFullError if too many inputs wait, or the
   * error of the decision
   */
  put(key: string, subject: string, input: Input | (() => Input)): Promise<Step>;
  put(key: string, subject: string, input: () => Input | undefined): Promise<Step | undefined>;
  /** Runs `work` in a single turn of the key. During this turn, `work` may handle several inputs. */
  turn<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
  /** Decides on an input. Call it only within a turn of the key. */
  take(key: string, subject: string, input: Input): Step | Promise<Step>;
  /** Carries out effects that are not the result of a step. */
  perform(effects: Step['effects']): void;
}

interface Effects<Step extends Decision> {
  /**
   * Carries out effects in their order. If an effect fails, the next ones are still carried out. `step` is the step
   * that caused the effects.
   */
  run(effects: Step['effects'], step?: Step): void;
}

/** Lets a test act just before and just after a commit. */
export interface CommitInterceptor<Step extends Decision> {
  /** True if no test has planned an action. The engine then commits without this interceptor. */
  readonly isIdle: boolean;
  /**
   * Commits, and carries out the actions that a test has planned for the moments before and after the commit. If the
   * test ends the process at one of these moments, the promise never resolves.
   */
  commits(step: Step, commit: () => Promise<CommitResult>): Promise<CommitResult>;
}

/** Resolves when inputs are accepted again. Returns undefined if they are accepted now. */
export type WaitForInputAcceptance = () => Promise<void> | undefined;

interface EngineParts<State, Input, Known, Step extends Decision, P, E> {
  /** Commits a step's records and everything that belongs to the step, such as its event. */
  store: { commit(records: readonly RowChange[], step: Step): Promise<CommitResult> };
  lanes: KeyedTaskQueue;
  mostDecisions?: number;
  watch?: CommitInterceptor<Step>;
  held?: WaitForInputAcceptance;
  moving: EngineAdapter<State, Input, Known, Step>;
  /**
   * Makes the partition, which decides whether this gateway owns a key. The partition gets the engine's queue, because
   * the partition may add inputs itself.
   */
  partition(turns: InputQueue<Input, Step>): P;
  effects(turns: InputQueue<Input, Step>, partition: P): E;
}

/**
 * Handles the inputs of one kind of thing, such as payments. The inputs of a key are handled one after the other. The
 * engine decides on an input according to the state on disk, and commits the decision. After the commit the engine
 * carries out the effects. If the database refuses the commit, nothing has happened. The key's turn does not end before
 * the result of the commit is known (`Store.commit`).
 *
 * ```
 * put(key, input) ─▶ turn ─▶ state, what is looked up ─▶ decide ─▶ commit [guard, …records] ─▶ install ─▶ effects
 *                             ▲                                        │ refused, and something was learnt from it
 *                             └────────────────────────────────────────┘ at most three decisions by default
 * ```
 */
export class Engine<
  State,
  Input,
  Known,
  Step extends Decision,
  P extends KeyPartition<Input, Step>,
  E extends Effects<Step>,
> implements InputQueue<Input, Step>
{
  readonly partition: P;
  readonly effects: E;
  readonly #store: EngineParts<State, Input, Known, Step, P, E>['store'];
  readonly #lanes: KeyedTaskQueue;
  readonly #mostDecisions: number;
  readonly #moving: EngineAdapter<State, Input, Known, Step>;
  readonly #watch: CommitInterceptor<Step> | undefined;
  readonly #held: WaitForInputAcceptance | undefined;

  constructor(parts: EngineParts<State, Input, Known, Step, P, E>) {
    this.#store = parts.store;
    this.#lanes = parts.lanes;
    this.#mostDecisions = parts.mostDecisions ?? usualDecisions;
    this.#moving = parts.moving;
    this.#watch = parts.watch;
    this.#held = parts.held;
    this.partition = parts.partition(this);
    this.effects = parts.effects(this, this.partition);
  }

  put(key: string, subject: string, input: Input | (() => Input)): Promise<Step>;
  put(key: string, subject: string, input: () => Input | undefined): Promise<Step | undefined>;
  put(key: string, subject: string, input: Input | (() => Input | undefined)): Promise<Step | undefined> {
    return this.#lanes.turn(key, () => {
      const held = this.#held?.();
      if (held) return held.then(() => this.#put(key, subject, input));
      return this.#put(key, subject, input);
    });
  }

  #put(
    key: string,
    subject: string,
    input: Input | (() => Input | undefined),
  ): Step | undefined | Promise<Step> {
    const given = typeof input === 'function' ? (input as () => Input | undefined)() : input;
    if (given === undefined) return undefined;
    const claiming = this.partition.claim(key, given);
    return claiming ? claiming.then(() => this.take(key, subject, given)) : this.take(key, subject, given);
  }

  turn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    return this.#lanes.turn(key, work);
  }

  take(key: string, subject: string, input: Input): Step | Promise<Step> {
    return this.#take(key, subject, input, this.#mostDecisions);
  }

  perform(effects: Step['effects']): void {
    this.effects.run(effects);
  }

  /**
   * If everything is in memory, returns the step itself and not a promise. This saves time, because most steps of a
   * payment read nothing from the store.
   */
  #take(key: string, subject: string, input: Input, decisions: number): Step | Promise<Step> {
    if (!this.partition.isOurs(key)) return this.partition.elsewhere(key, input);
    const state = this.#moving.state(key, subject);
    return state instanceof Promise
      ? state.then((loaded) => this.#lookUp(key, subject, loaded, input, decisions))
      : this.#lookUp(key, subject, state, input, decisions);
  }

  #lookUp(key: string, subject: string, state: State, input: Input, decisions: number): Step | Promise<Step> {
    const reading = this.#moving.lookUp(state, input);
    if (!reading) return this.#move(key, subject, state, input, undefined, decisions);
    return reading.then((known) => {
      const missed = known !== undefined && decisions > 1 && this.#moving.isMissed(key, known);
      if (!missed) return this.#move(key, subject, state, input, known, decisions);
      return this.partition.adopt(key).then(() => this.#take(key, subject, input, decisions - 1));
    });
  }

  #move(
    key: string,
    subject: string,
    state: State,
    input: Input,
    known: Known | undefined,
    decisions: number,
  ): Step | Promise<Step> {
    const step = this.#moving.decide(key, subject, state, input, known);
    const guard = this.partition.guard(key, step);
    const records = guard.length === 0 ? step.records : [...guard, ...step.records];
    if (records.length === 0) return this.#finish(state, step);
    const commit = () => this.#store.commit(records, step);
    const watched = this.#watch !== undefined && !this.#watch.isIdle;
    const committing = watched ? this.#watch!.commits(step, commit) : commit();
    return committing.then((result) => {
      if (result.is === 'applied') return this.#finish(state, step);
      const again = (learnt: boolean) => {
        if (learnt && decisions > 1) return this.#take(key, subject, input, decisions - 1);
        throw result.error;
      };
      const learnt = this.partition.learn(key, result, input);
      return typeof learnt === 'boolean' ? again(learnt) : learnt.then(again);
    });
  }

  #finish(former: State, step: Step): Step {
    this.#moving.install(former, step);
    this.effects.run(step.effects, step);
    return step;
  }
}
