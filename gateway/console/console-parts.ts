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

/** What keyboard-wedge readers are set up to type around tracks. */
export interface ConsoleWedge {
  readonly settings: { readonly prefix: string; readonly suffix: string };
  /** Swipes a card on a terminal; returns what to show the user if it could not be swiped. */
  swipe(poiId: string, tracks: string): string | undefined;
}

/** What is being written down. */
export interface ConsoleRecording {
  /** The text of a scenario. */
  end(): Promise<string>;
}

/** Scenarios that can be run and watched, each on a gateway and terminals of its own. */
export interface ConsoleScenarios {
  list(): Promise<readonly object[]>;
  /** Starts one, which waits before its first step; gives the run's name, undefined where there is no such scenario. */
  start(id: string): Promise<string | undefined>;
  /** How a run stands, once that is another than the `version` known; with the journal after `since`. */
  state(
    run: string,
    known: { version: number; since: number },
    signal: AbortSignal,
  ): Promise<object | undefined>;
  proceed(run: string, how: 'step' | 'end'): Promise<void> | void;
}

/** The last exploration of a point of sale on this machine. */
export interface ConsoleExplorations {
  /** ISO 8601; undefined where there was none. */
  exploredAt(): string | undefined;
  /** Its page, `index.html`, or the trace of one of its runs, by the file's name. */
  page(name: string): string | undefined;
}

/**
 * What the console is made of that is not the gateway's own: its page, and what needs more than a gateway. Who puts the
 * parts together hands it in; what is absent is not offered.
 */
export interface ConsoleParts {
  /** `index.html` and what it loads, by name. */
  file(name: string): Promise<ConsoleFile | undefined>;
  /** The name and port by which others than this machine reach the gateway, where that is meant to be. */
  readonly publicUrl?: string;
  /** Sends a payment request over HTTP, as a point of sale would. */
  sell?(sale: { poiId: string; amount: number; tip: boolean }): Promise<ConsoleSale>;
  /** What the point of sale does that goes wrong in the field, by the journal so far (docs/lint.md). */
  findings?(entries: readonly JournalEntry[]): Promise<readonly unknown[]>;
  /** An entry as the step of a scenario that does it again (docs/recording.md); undefined where there is none. */
  stepOf?(entries: readonly JournalEntry[], seq: number): Promise<string | undefined>;
  /** Begins to write down what is done as a scenario. */
  record?(): ConsoleRecording | undefined;
  readonly scenarios?: ConsoleScenarios;
  readonly explorations?: ConsoleExplorations;
  /** Takes what keyboard-wedge readers type for swipes. Asked when it is needed, as terminals start after the gateway. */
  wedge?(): ConsoleWedge | undefined;
}
