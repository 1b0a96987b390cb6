import type { JournalEntry } from '../../../shared/journal.ts';
import type { Sale } from '../../../shared/sales/sale.ts';
import type { TrafficStep } from '../traffic/traffic-step.ts';

/** Why a scenario failed. */
export interface TracedFailure {
  readonly place: string;
  /** The step as it stands in the file. */
  readonly step: string;
  readonly differences: readonly {
    readonly path: string;
    readonly expected: string;
    readonly actual: string;
  }[];
  /** What else was said of it. */
  readonly lines: readonly string[];
  /** All that was there to compare with. */
  readonly saw: readonly string[];
  /** What each terminal showed, and the last entries of the journal. */
  readonly scene: readonly string[];
}

/** Something a point of sale does that will go wrong in the field. */
export interface TracedFinding {
  readonly rule: string;
  readonly what: string;
  readonly why: string;
  readonly fix: string;
  /** How often it was seen. */
  readonly count: number;
  /** The journal's entries that show it, by seq. */
  readonly entries: readonly number[];
}

/** A sale in a line, as the screen has it. */
export interface TracedSale extends Pick<Sale, 'saleId' | 'outcome' | 'outcomeText' | 'told' | 'findings'> {
  readonly time: string;
  /** With the decimals of its currency, tip included. */
  readonly amount: string;
  readonly terminal: string;
  readonly name: string;
  readonly calls: string;
  /** The entry that it begins with, where the trace has it. */
  readonly seq?: number;
}

/** What a trace shows. */
export interface TraceData {
  readonly title: string;
  readonly entries: readonly JournalEntry[];
  /** In the order they began. */
  readonly sales: readonly TracedSale[];
  readonly steps?: readonly TrafficStep[];
  readonly failure?: TracedFailure;
  readonly findings?: readonly TracedFinding[];
  /** What was done and sent as steps of a scenario, by the entry's seq. */
  readonly scenarioSteps?: Readonly<Record<number, string>>;
  /** Where a page of a running gateway receives further entries, and below which each as a step; another needs nothing but itself. */
  readonly live?: { readonly entries: string; readonly steps: string };
}
