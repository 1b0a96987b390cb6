import type { JournalEntry } from '../../../shared/journal.ts';
import type { Sale } from '../../../shared/sales/sale.ts';
import type { TrafficStep } from '../traffic/traffic-step.ts';

/** The failure of a scenario. */
export interface TracedFailure {
  readonly place: string;
  /** The step as it is written in the file. */
  readonly step: string;
  readonly differences: readonly {
    readonly path: string;
    readonly expected: string;
    readonly actual: string;
  }[];
  /** Further lines about the failure. */
  readonly lines: readonly string[];
  /** The actual state with which the expectations were compared. */
  readonly saw: readonly string[];
  /** The screen of each terminal, and the last entries of the journal. */
  readonly scene: readonly string[];
}

/** A mistake of the point of sale that will cause trouble in real shops. */
export interface TracedFinding {
  readonly rule: string;
  readonly what: string;
  readonly why: string;
  readonly fix: string;
  /** How often the point of sale made the mistake. */
  readonly count: number;
  /** The seq of each journal entry that shows the mistake. */
  readonly entries: readonly number[];
}

/** A sale on one line, as on pinpad's screen. */
export interface TracedSale extends Pick<Sale, 'saleId' | 'outcome' | 'outcomeText' | 'told' | 'findings'> {
  readonly time: string;
  /** The amount with the decimals of its currency, tip included. */
  readonly amount: string;
  readonly terminal: string;
  readonly name: string;
  readonly calls: string;
  /** The seq of the sale's first entry, if the trace has that entry. */
  readonly seq?: number;
}

/** The data of a trace. */
export interface TraceData {
  readonly title: string;
  readonly entries: readonly JournalEntry[];
  /** The sales, in the order in which they began. */
  readonly sales: readonly TracedSale[];
  readonly steps?: readonly TrafficStep[];
  readonly failure?: TracedFailure;
  readonly findings?: readonly TracedFinding[];
  /**
   * The steps of a scenario that repeat actions or requests. The key of each step is the seq of the journal entry that
   * the step repeats.
   */
  readonly scenarioSteps?: Readonly<Record<number, string>>;
  /**
   * The addresses of a running gateway. From `entries`, the page reads further entries. From `steps`, it reads the
   * steps that repeat entries. Absent for a self-contained page.
   */
  readonly live?: { readonly entries: string; readonly steps: string };
}
