import type { Random } from '../../shared/random.ts';
import type { Violation } from '../load/check.ts';
import { ReversiblePayments } from '../load/giving-back.ts';
import { playLoad, type RoundLoad } from '../load/load.ts';
import type { WebhookReceiver } from '../load/webhook-receiver.ts';
import type { World } from '../load/world.ts';
import type { Tally } from './tally.ts';

/** The options of a trial. {@link TrialKind.usual} tells which options a kind has, and their usual values. */
export interface TrialOptions {
  /** The trial ends after this number of rounds. It begins no further round after this number of minutes. */
  rounds: number;
  minutes: number;
  timeScale: number;
  gateways: number;
  ownLinks: boolean;
  terminals: number;
  paying: number;
}

/** The settings and objects that a trial gets. */
export interface TrialContext extends TrialOptions {
  /** The folder for the processes' data, and for the evidence of a violation. */
  folder: string;
  random: Random;
  receiver: WebhookReceiver;
  tally: Tally;
  say(text: string): void;
}

/** What was done in a round. */
export interface PlayedRound {
  load: RoundLoad;
  /** The faults that were caused, for the evidence. */
  accidents: readonly unknown[];
  /** Starts the terminals that stayed away until everything else had settled. */
  bringBack?: (() => Promise<void>) | undefined;
}

/** A kind of trial. */
export interface TrialKind {
  /** What the kind does and checks, for people. */
  about: string;
  usual: Partial<TrialOptions>;
  /** Whether to accept events of any age. Trials with a wrong wall clock at the gateway need this. */
  anyTime?: boolean;
  open(means: TrialContext): Promise<RunningTrial>;
}

/**
 * Gateways under load, and the faults that happen to them, round after round. The rules for payments, the back office
 * and events are the same for all kinds of trials, so they are in rules.ts.
 */
export abstract class RunningTrial {
  abstract readonly world: World;
  protected readonly means: TrialContext;
  readonly #paid = new ReversiblePayments();

  constructor(means: TrialContext) {
    this.means = means;
  }

  /**
   * Plays a round. The round ends when every point of sale knows the outcomes of its payments and the back office is
   * done.
   */
  abstract play(name: string): Promise<PlayedRound>;

  /**
   * Runs before the first round. Some kinds of trials need it, because they compare the resources of later rounds with
   * the resources after ordinary load.
   */
  async warmUp(_name: string): Promise<PlayedRound> {
    return { load: { payments: [], office: [] }, accidents: [] };
  }

  /** Returns the violations of those rules that only this kind has. The common rules have been checked before. */
  async findings(): Promise<Violation[]> {
    return [];
  }

  /** Prepares the next round. */
  forget(): void {
    this.world.forgetLogs();
  }

  /** Returns what is wrong with the files that the processes left. */
  findingsAtEnd(): Violation[] {
    return [];
  }

  start(): Promise<void> {
    return this.world.start();
  }

  /**
   * Ends all processes except the servers, because the evidence is read from the servers. {@link remove} ends those
   * servers.
   */
  stop(): Promise<void> {
    return this.world.stop();
  }

  remove(): Promise<void> {
    return this.world.remove();
  }

  /** Lets points of sale and back offices begin work for `ms` milliseconds. */
  protected load(name: string, ms: number): Promise<RoundLoad> {
    return playLoad(this.world, this.means.random, name, { untilMs: Date.now() + ms, paid: this.#paid });
  }
}
