import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { TrafficLog } from './traffic-log.ts';
import { noFilter, type TrafficFilter, type TrafficRow, trafficRowsOf } from './traffic-rows.ts';

/** The lines that a link to the traffic selects. */
export interface TrafficLinkTarget extends Partial<TrafficFilter> {
  readonly seq?: number;
  /** The step that failed. */
  readonly failure?: true;
  /** A moment of a run. At this moment, `steps` steps have begun, and the entries up to `seq` have come. */
  readonly moment?: { readonly steps: number; readonly seq: number };
}

export type TrafficViewState = ReturnType<typeof useTrafficViewState>;

/**
 * Returns the visible part of the traffic: the lines that match a filter, and the chosen line. If no line is chosen,
 * the view follows the latest line.
 */
export function useTrafficViewState(log: TrafficLog, live: boolean, wanted: TrafficLinkTarget | undefined) {
  const [filter, setFilter] = useState<TrafficFilter>({ ...noFilter, ...(wanted?.moment ? {} : wanted) });
  const [currentKey, setCurrentKey] = useState<string>();
  const [follows, setFollows] = useState(live);
  const [paused, setPaused] = useState<number>();
  const [opened, setOpened] = useState(false);

  const all = useMemo(() => trafficRowsOf(log, filter), [log, log.version, filter]);
  const rows =
    paused === undefined ? all : all.filter((row) => row.type !== 'entry' || row.view.entry.seq <= paused);
  const searching = filter.text.trim() !== '';
  // In a trace that gets no more entries, the user reads from the top. So no line is chosen at first (B263).
  const current = positionOf(rows, currentKey, searching ? 'first' : live ? 'last' : 'none');

  const moveTo = (index: number) => {
    const target = rows[Math.min(rows.length - 1, Math.max(0, index))];
    if (!target) return;
    setFollows(live && index >= rows.length - 1);
    setCurrentKey(target.key);
  };
  const change = (changes: Partial<TrafficFilter>) => {
    if ('text' in changes || 'payment' in changes) setCurrentKey(undefined);
    setFollows(live && !changes.text);
    setFilter({ ...filter, ...changes });
  };

  // Shows what a link selects: a moment, the step that failed, an entry, or all lines that match a filter.
  useEffect(() => {
    if (!wanted) return;
    const { seq, failure, moment, ...filter } = wanted;
    if (moment) {
      const last = all.findLast((row) => isBefore(row, moment));
      setFollows(false);
      return setCurrentKey(last?.key ?? all[0]?.key);
    }
    const failed = log.steps.findIndex((step) => step.failed);
    setFilter({ ...noFilter, ...filter });
    setCurrentKey(failure ? `s${failed}` : seq === undefined ? undefined : `e${seq}`);
    setFollows(live && seq === undefined);
    setOpened(seq !== undefined);
  }, [wanted]);
  // When the user stops looking at an earlier moment, the view follows the latest line again.
  const wasAtMoment = useRef(false);
  useEffect(() => {
    if (wasAtMoment.current && !wanted?.moment) {
      setCurrentKey(undefined);
      setFollows(live);
    }
    wasAtMoment.current = wanted?.moment !== undefined;
  }, [wanted]);

  return {
    filter,
    change,
    rows,
    current,
    row: rows[current],
    /** Whether the user has chosen the current line. If not, the current line is only the latest line. */
    isChosen: currentKey !== undefined || searching,
    moveTo,
    follows: follows && paused === undefined,
    follow: (at: boolean) => at !== follows && live && setFollows(at),
    paused: live ? paused !== undefined : undefined,
    /** Pauses the view, or continues it after a pause. */
    pause: () => setPaused(paused === undefined ? (log.entries.at(-1)?.seq ?? 0) : undefined),
    opened,
    setOpened,
  };
}

/**
 * Whether a line of the list is before a moment. The lines of steps are compared by the step's number, because two steps
 * can have the same seq if the first of them had no effect.
 */
function isBefore(row: TrafficRow, { steps, seq }: NonNullable<TrafficLinkTarget['moment']>): boolean {
  if (row.type === 'entry') return row.view.entry.seq <= seq;
  return row.type === 'step' && Number(row.key.slice(1)) < steps;
}

function positionOf(
  rows: readonly TrafficRow[],
  key: string | undefined,
  otherwise: 'first' | 'last' | 'none',
): number {
  const found = key === undefined ? -1 : rows.findIndex((row) => row.key === key);
  if (found >= 0) return found;
  return { none: -1, first: 0, last: rows.length - 1 }[otherwise];
}
