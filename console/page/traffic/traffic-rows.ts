import type { JournalEntry } from '../../../shared/journal.ts';
import { durationText } from './duration.ts';
import { type EntryInLanes, entrySearchText, placeEntryInLanes } from './entry-view.ts';
import { lanes, type TrafficLane } from './lanes.ts';
import { describeRealTimeGap } from './real-time-gap.ts';
import type { TrafficLog } from './traffic-log.ts';
import type { TrafficStep } from './traffic-step.ts';

/** The filter of the traffic. */
export interface TrafficFilter {
  readonly text: string;
  readonly payment: string;
  readonly terminal: string;
  readonly lanes: ReadonlySet<TrafficLane>;
  readonly smallPrint: boolean;
}

export const noFilter: TrafficFilter = {
  text: '',
  payment: '',
  terminal: '',
  lanes: new Set(lanes),
  smallPrint: false,
};

/** A line of the list: an entry, a step that caused the following entries, or a pause. */
export type TrafficRow =
  | { readonly type: 'entry'; readonly key: string; readonly view: EntryInLanes; readonly time: string }
  | { readonly type: 'step'; readonly key: string; readonly step: TrafficStep }
  | { readonly type: 'pause'; readonly key: string; readonly text: string };

/** Pauses shorter than this are not shown, because they explain nothing. */
const shortestPauseMs = 1_000;

/** Returns the lines that match a filter. */
export function trafficRowsOf(log: TrafficLog, filter: TrafficFilter): TrafficRow[] {
  const needle = filter.text.trim().toLowerCase();
  // Steps and pauses are shown only if no filter is set. Between the hits of a search, the time since the previous
  // hit has no meaning.
  const whole = needle === '' && filter.payment === '' && filter.terminal === '';
  const rows: TrafficRow[] = [];
  let next = 0;
  let before: JournalEntry | undefined;
  const began = log.entries[0]?.at ?? 0;
  const stepsUntil = (seq: number) => {
    for (let step = log.steps[next]; step && step.seq < seq; step = log.steps[++next])
      if (whole) rows.push({ type: 'step', key: `s${next}`, step });
  };
  for (const entry of log.entries) {
    stepsUntil(entry.seq);
    if (!fits(log, entry, filter, needle)) continue;
    const wentBy = entry.at - (before?.at ?? began);
    if (whole && wentBy >= shortestPauseMs)
      rows.push({ type: 'pause', key: `p${entry.seq}`, text: `${durationText(wentBy)} later` });
    const view = placeEntryInLanes(entry);
    rows.push({
      type: 'entry',
      key: `e${entry.seq}`,
      view,
      time: describeRealTimeGap(entry, before) ?? view.time,
    });
    before = entry;
  }
  stepsUntil(Number.POSITIVE_INFINITY);
  return rows;
}

function fits(log: TrafficLog, entry: JournalEntry, filter: TrafficFilter, needle: string): boolean {
  const view = placeEntryInLanes(entry);
  if (!filter.lanes.has(view.from) && !filter.lanes.has(view.to)) return false;
  if (!filter.smallPrint && view.smallPrint) return false;
  // With this filter, entries that belong to no payment are hidden too, such as some actions at a terminal.
  if (filter.payment && log.paymentOf(entry) !== filter.payment) return false;
  if (filter.terminal && log.terminalOf(entry) !== filter.terminal) return false;
  return needle === '' || entrySearchText(entry).includes(needle);
}

/** Returns the time of a line's entry. Undefined if the line is not an entry. */
export function rowTimeText(row: TrafficRow | undefined): string | undefined {
  return row?.type === 'entry' ? row.view.time : undefined;
}
