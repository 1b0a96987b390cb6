import type { Random } from '../../shared/random.ts';
import type { Violation } from '../load/check.ts';
import { Paid } from '../load/giving-back.ts';
import { type Load, loadOf } from '../load/load.ts';
import type { WebhookReceiver } from '../load/webhook-receiver.ts';
import type { World } from '../load/world.ts';
import type { Tally } from './tally.ts';

/** What a trial can be told; which of it a kind takes, and what it is unless told, its {@link Kind.usual} says. */
export interface TrialOptions {
  /** It ends after so many rounds, and begins none after so many minutes. */
  rounds: number;
  minutes: number;
  timeScale: number;
  gateways: number;
  ownLinks: boolean;
  terminals: number;
  paying: number;
}

/** What a trial works with. */
export interface Means extends TrialOptions {
  /** Data of the processes, and the evidence when something is wrong. */
  folder: string;
  random: Random;
  receiver: WebhookReceiver;
  tally: Tally;
  say(text: string): void;
}

/** What was done in a round. */
export interface Played {
  load: Load;
  /** What went wrong on purpose: for the evidence. */
  accidents: readonly unknown[];
  /** Brings back what stayed away until everything else has settled. */
  bringBack?: (() => Promise<void>) | undefined;
}

/** A kind of trial. */
export interface Kind {
  /** What it does and checks, for people. */
  about: string;
  usual: Partial<TrialOptions>;
  /** The wall clock of its gateway is wrong, so events may be of any time. */
  anyTime?: boolean;
  open(means: Means): Promise<Trial>;
}

/**
 * Gateways under load, and what is done to them meanwhile, round after round. What all kinds have in common, and the rules for
 * payments, the back office and events, are in rules.ts.
 */
export abstract class Trial {
  abstract readonly world: World;
  protected readonly means: Means;
  readonly #paid = new Paid();

  constructor(means: Means) {
    this.means = means;
  }

  /** Plays a round, over when every point of sale knows its outcomes and the back office has done what it began. */
  abstract play(name: string): Promise<Played>;

  /** What is there before the first round: load alone, where a kind has to know how that leaves the gateways. */
  async warmUp(_name: string): Promise<Played> {
    return { load: { payments: [], office: [] }, accidents: [] };
  }

  /** What is wrong by the rules of this kind alone, once the round was held against those for all. */
  async findings(): Promise<Violation[]> {
    return [];
  }

  /** Before the next round begins. */
  forget(): void {
    this.world.forgetLogs();
  }

  /** What is wrong with what the processes left. */
  findingsAtEnd(): Violation[] {
    return [];
  }

  start(): Promise<void> {
    return this.world.start();
  }

  /** Ends all processes but those that {@link remove} does, which the evidence is taken from. */
  stop(): Promise<void> {
    return this.world.stop();
  }

  remove(): Promise<void> {
    return this.world.remove();
  }

  /** Points of sale and a back office that begin nothing once so much time has passed. */
  protected load(name: string, ms: number): Promise<Load> {
    return loadOf(this.world, this.means.random, name, { untilMs: Date.now() + ms, paid: this.#paid });
  }
}
