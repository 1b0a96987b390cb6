import { useEffect, useMemo, useState } from 'preact/hooks';
import type { JournalEntry } from '../../../shared/journal.ts';
import { callControl } from '../control.ts';
import { TrafficLog } from '../traffic/traffic-log.ts';

/** The state of a run, as the gateway reports it. */
export interface RunState {
  readonly version: number;
  readonly steps: readonly { readonly text: string; readonly place: string; readonly seq?: number }[];
  readonly waits: boolean;
  readonly verdict?: 'passed' | 'failed' | 'skipped';
  readonly failure?: string;
  readonly entries: readonly JournalEntry[];
}

/** Follows a run of a scenario until the run is over. */
export function useRun(run: string) {
  const log = useMemo(() => new TrafficLog(), [run]);
  const [state, setState] = useState<RunState>();
  const [problem, say] = useState<string>();
  useEffect(() => {
    let watching = true;
    void watch(run, log, (next) => {
      if (watching) setState(next);
      return watching;
    }).catch((error: Error) => watching && say(error.message));
    return () => {
      watching = false;
    };
  }, [run]);
  const proceed = (how: 'step' | 'end') =>
    void callControl('POST', `/console/runs/${run}/proceed`, { how }).catch((error: Error) =>
      say(error.message),
    );
  return { log, state, problem, proceed };
}

/**
 * Reads the state of a run again and again. Stops when the run is over, or when `show` returns false because the view
 * is closed.
 */
async function watch(run: string, log: TrafficLog, show: (state: RunState) => boolean): Promise<void> {
  let version = 0;
  for (;;) {
    const since = log.entries.at(-1)?.seq ?? 0;
    const state = await callControl<RunState>(
      'GET',
      `/console/runs/${run}?version=${version}&since=${since}`,
    );
    version = state.version;
    log.steps = state.steps.flatMap(({ seq, ...step }) => (seq === undefined ? [] : [{ ...step, seq }]));
    log.add(state.entries);
    if (!show(state) || state.verdict) return;
  }
}
