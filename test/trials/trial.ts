import type { Random } from '../../shared/random.ts';
import type { Violation } from '../load/check.ts';
import { Paid } from '../load/giving-back.ts';
import { type Load, loadOf } from '../load/load.ts';
import type { WebhookReceiver } from '../load/webhook-receiver.ts';
import type { World } from '../load/world.ts';
import type { Tally } from './tally.ts';

/** The options of a trial. {@link Kind.usual} tells which of them a kind has, and their usual values. */
export interface TrialOptions {
  /** The number of rounds after which the trial ends, and of minutes after which it begins no further round. */
  rounds: number;
  minutes: number;
  timeScale: number;
  gateways: number;
  ownLinks: boolean;
  terminals: number;
  paying: number;
}

/** What a trial gets. */
export interface Means extends TrialOptions {
  /** The folder for the processes' data, and for the evidence of a violation. */
  folder: string;
  random: Random;
  receiver: WebhookReceiver;
  tally: Tally;
  say(text: string): void;
}

/** What was done in a round. */
export interface Played {
  load: Load;
  /** The faults that were caused, for the evidence. */
  accidents: readonly unknown[];
  /** Brings back the terminals that stayed away until everything else has settled. */
  bringBack?: (() => Promise<void>) | undefined;
}

/** A kind of trial. */
export interface Kind {
  /** What the kind does and checks, for people. */
  about: string;
  usual: Partial<TrialOptions>;
  /** Whether events may be of any age, because the gateway's wall clock is wrong. */
  anyTime?: boolean;
  open(means: Means): Promise<Trial>;
}

/**
 * Gateways under load, and the faults that they meet, round after round. What all kinds have in common, such as the
 * rules for payments, the back office and events, is in rules.ts.
 */
export abstract class Trial {
  abstract readonly world: World;
  protected readonly means: Means;
  readonly #paid = new Paid();

  constructor(means: Means) {
    this.means = means;
  }

  /** Plays a round. It ends when every point of sale knows its outcomes and the back office is done. */
  abstract play(name: string): Promise<Played>;

  /** Runs before the first round, for kinds that compare later resources with those after ordinary load. */
  async warmUp(_name: string): Promise<Played> {
    return { load: { payments: [], office: [] }, accidents: [] };
  }

  /** Returns the violations of the rules that only this kind has. The common rules are checked before. */
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

  /** Ends all processes except the servers that {@link remove} ends. The evidence is read from those. */
  stop(): Promise<void> {
    return this.world.stop();
  }

  remove(): Promise<void> {
    return this.world.remove();
  }

  /** Lets points of sale and a back office begin work for this many ms. */
  protected load(name: string, ms: number): Promise<Load> {
    return loadOf(this.world, this.means.random, name, { untilMs: Date.now() + ms, paid: this.#paid });
  }
}
