import type { JournalEntry } from '../../shared/journal.ts';

/** A file of the console's page, as it is served. */
interface ConsoleFile {
  readonly text: string;
  readonly type: 'text/html' | 'text/css' | 'text/javascript';
}

/** How a sale that was made in the console ended, in words. */
interface ConsoleSale {
  readonly success: boolean;
  readonly line: string;
}

/** The keyboard-wedge readers of the console, with the prefix and suffix that they type around tracks. */
export interface ConsoleWedge {
  readonly settings: { readonly prefix: string; readonly suffix: string };
  /** Swipes a card on a terminal; returns what to show the user if it could not be swiped. */
  swipe(poiId: string, tracks: string): string | undefined;
}

/** A recording under way. */
export interface ConsoleRecording {
  /** Ends the recording, and gives the text of the scenario. */
  end(): Promise<string>;
}

/** Scenarios that can be run and watched, each on a gateway and terminals of its own. */
export interface ConsoleScenarios {
  list(): Promise<readonly object[]>;
  /**
   * Starts a scenario, which waits before its first step. Gives the run's name, or undefined if there is no such
   * scenario.
   */
  start(id: string): Promise<string | undefined>;
  /** Resolves to the state of a run once it differs from the known `version`, with the journal after `since`. */
  state(
    run: string,
    known: { version: number; since: number },
    signal: AbortSignal,
  ): Promise<object | undefined>;
  proceed(run: string, how: 'step' | 'end'): Promise<void> | void;
}

/** The last exploration of a point of sale on this machine. */
export interface ConsoleExplorations {
  /** When the exploration was made, as ISO 8601; undefined if there was none. */
  exploredAt(): string | undefined;
  /** A file of the exploration by its name: its page, `index.html`, or the trace of one of its runs. */
  page(name: string): string | undefined;
}

/**
 * The parts of the console that are not the gateway's own: its page, and what needs more than a gateway. The program that
 * embeds the gateway hands them in; a part that is absent is not offered.
 */
export interface ConsoleParts {
  /** `index.html` and what it loads, by name. */
  file(name: string): Promise<ConsoleFile | undefined>;
  /** The name and port by which other machines reach the gateway, if they are meant to. */
  readonly publicUrl?: string;
  /** Sends a payment request over HTTP, as a point of sale would. */
  sell?(sale: { poiId: string; amount: number; tip: boolean }): Promise<ConsoleSale>;
  /** Finds, in the journal so far, what the point of sale does that goes wrong in the field (docs/lint.md). */
  findings?(entries: readonly JournalEntry[]): Promise<readonly unknown[]>;
  /** An entry as the step of a scenario that does it again (docs/recording.md); undefined if there is none. */
  stepOf?(entries: readonly JournalEntry[], seq: number): Promise<string | undefined>;
  /** Begins to record what is done, as a scenario. */
  record?(): ConsoleRecording | undefined;
  readonly scenarios?: ConsoleScenarios;
  readonly explorations?: ConsoleExplorations;
  /**
   * Makes what keyboard-wedge readers type into swipes. Called when it is needed, because terminals start after the
   * gateway.
   */
  wedge?(): ConsoleWedge | undefined;
}
