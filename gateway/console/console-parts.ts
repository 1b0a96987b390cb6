import type { JournalEntry } from '../../shared/journal.ts';

/** A file of the console's page. */
interface ConsoleFile {
  readonly text: string;
  readonly type: 'text/html' | 'text/css' | 'text/javascript';
}

/** The result of a sale that was made in the console. */
interface ConsoleSale {
  readonly success: boolean;
  /** True if there is no payment, because the request was refused or could not be sent. */
  readonly refused?: true;
  /** A sentence with the result, or with the reason why there is no payment. */
  readonly line: string;
}

/**
 * The card readers in the console that act as a keyboard. Such a reader types its prefix, the tracks of the card, and
 * its suffix.
 */
export interface ConsoleWedgeReaders {
  readonly settings: { readonly prefix: string; readonly suffix: string };
  /** Swipes a card on a terminal. If that is not possible, returns the message for the user. */
  swipe(poiId: string, tracks: string): string | undefined;
}

/** A recording under way. */
export interface ConsoleRecording {
  /** Ends the recording, and gives the scenario's text. */
  end(): Promise<string>;
}

/** The scenarios that a user can run and watch. Each runs on a gateway and terminals of its own. */
export interface ConsoleScenarioRuns {
  list(): Promise<readonly object[]>;
  /**
   * Starts a run of a scenario. The run waits before its first step. Gives the name of the run; undefined if there is
   * no such scenario.
   */
  start(id: string): Promise<string | undefined>;
  /**
   * Waits until the version of a run's state differs from `version`. Then gives the new state, and the journal's
   * entries after `since`.
   */
  state(
    run: string,
    known: { version: number; since: number },
    signal: AbortSignal,
  ): Promise<object | undefined>;
  proceed(run: string, how: 'step' | 'end'): Promise<void> | void;
}

/** The last exploration of a POS on this machine. */
export interface ConsoleLastExploration {
  /** Gives the time of the exploration as ISO 8601; undefined if there was none. */
  exploredAt(): string | undefined;
  /** Gives a file of the exploration: the page `index.html`, or the trace of one run. */
  page(name: string): string | undefined;
}

/**
 * The parts of the console that do not belong to the gateway: the page, and the functions that need more than a
 * gateway. The program that runs the gateway passes these parts to the gateway. If a part is absent, the console does
 * not offer it.
 */
export interface ConsoleSuppliedParts {
  /** Gives `index.html`, or a file that `index.html` loads. */
  file(name: string): Promise<ConsoleFile | undefined>;
  /** The name and port by which other machines reach the gateway; absent if other machines cannot reach it. */
  readonly publicUrl?: string;
  /** Sends a payment request over HTTP, as a POS would. */
  sell?(sale: { poiId: string; amount: number; tip: boolean }): Promise<ConsoleSale>;
  /** Finds the POS's mistakes that the journal shows so far (docs/lint.md). */
  findings?(entries: readonly JournalEntry[]): Promise<readonly unknown[]>;
  /**
   * Gives a step of a scenario. The step repeats what a journal entry reports (docs/recording.md). Gives undefined if
   * there is no such step.
   */
  stepOf?(entries: readonly JournalEntry[], seq: number): Promise<string | undefined>;
  /** Begins a recording. Everything that happens after this becomes part of a scenario. */
  record?(): ConsoleRecording | undefined;
  readonly scenarios?: ConsoleScenarioRuns;
  readonly explorations?: ConsoleLastExploration;
  /**
   * Gives the readers that act as a keyboard. The terminals start after the gateway. So call this only when the
   * readers are needed, and not at the start.
   */
  wedge?(): ConsoleWedgeReaders | undefined;
}
