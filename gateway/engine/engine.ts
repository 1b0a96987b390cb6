import type { CommitResult } from '../../shared/database/change.ts';
import type { Lanes } from '../../shared/lanes.ts';
import type { Change } from '../store/schema.ts';
import type { Partition } from './partition.ts';

/** The most decisions of an input, if no other number is given. It is decided again if a row was not what the decision saw. */
const usualDecisions = 3;

/** The result of an input: either all of its records are on disk, or nothing of it has happened. */
interface Decision {
  readonly records: readonly Change[];
  readonly effects: readonly unknown[];
}

/** A kind of thing that moves: where its state is kept, what a decision needs to know, and its table. */
export interface Moving<State, Input, Known, Step extends Decision> {
  /** The state as it is on disk. `subject` says which of the key's things is meant. */
  state(key: string, subject: string): State | Promise<State>;
  /** Reads what the decision needs and is not in memory; undefined if it needs nothing. */
  lookUp(state: State, input: Input): Promise<Known | undefined> | undefined;
  /** Whether the thing that was looked up belongs to this key, and so should have been in memory. */
  isMissed(key: string, known: Known): boolean;
  /**
   * A pure decision on the state, the looked-up thing and facts in memory. If something is overdue, it is decided
   * first.
   */
  decide(key: string, subject: string, state: State, input: Input, known: Known | undefined): Step;
  /** Replaces the former state by that of a step, once the step's records are on disk. */
  install(former: State, step: Step): void;
}

/** The inputs of a key, one after the other. */
export interface Turns<Input, Step extends Decision> {
  /**
   * Takes an input in its turn. `input` may be a function, which is called at that moment; if it gives none, nothing
   * happens. Resolves when its effects are done.
   *
   * @throws the error that refused its records, LaneFull, or what the decision throws
   */
  put(key: string, subject: string, input: Input | (() => Input)): Promise<Step>;
  put(key: string, subject: string, input: () => Input | undefined): Promise<Step | undefined>;
  /** Runs `work`, which takes several inputs, in one turn of the key. */
  turn<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
  /** Takes an input within a turn of the key. */
  take(key: string, subject: string, input: Input): Step | Promise<Step>;
  /** Does effects that belong to no step. */
  perform(effects: Step['effects']): void;
}

interface Effects<Step extends Decision> {
  /** Does effects in their order. One that fails stops no other. `step` is what they follow from. */
  run(effects: Step['effects'], step?: Step): void;
}

/** Lets a test make things happen right before and after a commit. */
export interface Watch<Step extends Decision> {
  /** Whether no effect may happen any more. */
  readonly isIdle: boolean;
  /** Commits, with what is to happen before and after it. It never resolves if that ends this life of the process. */
  commits(step: Step, commit: () => Promise<CommitResult>): Promise<CommitResult>;
}

/** Resolves when inputs are taken again; gives undefined while they are. */
export type InputPause = () => Promise<void> | undefined;

interface EngineParts<State, Input, Known, Step extends Decision, P, E> {
  /** Commits a step's records, and what is stored with them, such as their event. */
  store: { commit(records: readonly Change[], step: Step): Promise<CommitResult> };
  lanes: Lanes;
  mostDecisions?: number;
  watch?: Watch<Step>;
  held?: InputPause;
  moving: Moving<State, Input, Known, Step>;
  /** Effects lead to inputs again, so partition and effects are made with the engine's turns. */
  partition(turns: Turns<Input, Step>): P;
  effects(turns: Turns<Input, Step>, partition: P): E;
}

/**
 * Moves things of one kind: each key's inputs one after the other. An input is decided by what is on disk and
 * committed; only then does it count, and its effects follow. If the commit is refused, nothing has happened. While the
 * outcome of a commit is unknown, the key's turn does not end (`Store.commit`).
 *
 * ```
 * put(key, input) ─▶ turn ─▶ state, what is looked up ─▶ decide ─▶ commit [guard, …records] ─▶ install ─▶ effects
 *                             ▲                                        │ refused, and something was learnt from it
 *                             └────────────────────────────────────────┘ at most three times, if nothing else is said
 * ```
 */
export class Engine<
  State,
  Input,
  Known,
  Step extends Decision,
  P extends Partition<Input, Step>,
  E extends Effects<Step>,
> implements Turns<Input, Step>
{
  readonly partition: P;
  readonly effects: E;
  readonly #store: EngineParts<State, Input, Known, Step, P, E>['store'];
  readonly #lanes: Lanes;
  readonly #mostDecisions: number;
  readonly #moving: Moving<State, Input, Known, Step>;
  readonly #watch: Watch<Step> | undefined;
  readonly #held: InputPause | undefined;

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

  /** Does not wait if everything is in memory, because most steps of a payment read nothing. */
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
