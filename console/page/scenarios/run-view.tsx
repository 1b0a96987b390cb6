import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Clock } from '../../../shared/clock.ts';
import type { JournalEntry } from '../../../shared/journal.ts';
import { control } from '../control.ts';
import { Glass, screensAt } from '../traffic/glass.tsx';
import { TrafficLog } from '../traffic/traffic-log.ts';
import { TrafficView } from '../traffic/traffic-view.tsx';

/** How a run stands, as the gateway says. */
interface RunState {
  readonly version: number;
  readonly steps: readonly { readonly text: string; readonly place: string; readonly seq?: number }[];
  readonly waits: boolean;
  readonly verdict?: 'passed' | 'failed' | 'skipped';
  readonly failure?: string;
  readonly entries: readonly JournalEntry[];
}

/** As long as a person needs to see a step, as with `pinpad run --slow`. */
const stepMs = 900;

interface RunProps {
  readonly clock: Clock;
  readonly run: string;
  readonly onAgain: () => void;
  readonly onLeave: () => void;
}

/** A scenario that runs: its steps, and the traffic they cause. */
export function RunView({ clock, run, onAgain, onLeave }: RunProps) {
  const log = useMemo(() => new TrafficLog(), []);
  const [state, setState] = useState<RunState>();
  const [problem, say] = useState<string>();
  const [playing, play] = useState(false);
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
    void control('POST', `/console/runs/${run}/proceed`, { how }).catch((error: Error) => say(error.message));
  const waits = state?.waits ?? false;
  useEffect(() => {
    if (!playing || !waits) return;
    const timer = clock.setTimeout(() => proceed('step'), stepMs);
    return () => clock.clearTimeout(timer);
  }, [playing, waits, state?.version]);
  const begun = state?.steps.filter(({ seq }) => seq !== undefined).length ?? 0;
  return (
    <>
      <div class="form-row">
        <button type="button" class="primary" disabled={!waits || playing} onClick={() => proceed('step')}>
          Next step
        </button>
        <button
          type="button"
          aria-pressed={playing}
          disabled={state?.verdict !== undefined}
          onClick={() => play(!playing)}
        >
          {playing ? 'Pause' : 'Play'}
        </button>
        <button type="button" disabled={!waits} onClick={() => proceed('end')}>
          To the end
        </button>
        <button type="button" onClick={onAgain}>
          Again
        </button>
        <button type="button" class="quiet" onClick={onLeave}>
          Another scenario
        </button>
        {state?.verdict && (
          <span class={`state ${state.verdict === 'passed' ? 'success' : 'error'}`} role="status">
            {state.verdict}
          </span>
        )}
      </div>
      {(problem ?? state?.failure) && <pre class="problem">{problem ?? state?.failure}</pre>}
      <div class="run-screens">
        {screensAt(log.entries, Number.POSITIVE_INFINITY).map((entry) => (
          <Glass key={entry.terminal} entry={entry} />
        ))}
      </div>
      <div class="run-view">
        <ol class="run-steps" aria-label="Steps">
          {state?.steps.map(({ text, place }, index) => (
            <li
              key={index}
              class={stepClass(state, index, begun)}
              aria-current={index === begun ? 'step' : undefined}
            >
              <pre>{text}</pre>
              <span class="none">{place}</span>
            </li>
          ))}
        </ol>
        <TrafficView log={log} live={true} />
      </div>
    </>
  );
}

function stepClass({ waits, verdict }: RunState, index: number, begun: number): string {
  if (verdict === 'failed' && index === begun - 1) return 'failed';
  if (index < begun) return 'done';
  return waits && index === begun ? 'waits' : '';
}

/** Follows a run until it is over, or `show` says that the view is closed. */
async function watch(run: string, log: TrafficLog, show: (state: RunState) => boolean): Promise<void> {
  let version = 0;
  for (;;) {
    const since = log.entries.at(-1)?.seq ?? 0;
    const state = await control<RunState>('GET', `/console/runs/${run}?version=${version}&since=${since}`);
    version = state.version;
    log.steps = state.steps.flatMap(({ seq, ...step }) => (seq === undefined ? [] : [{ ...step, seq }]));
    log.add(state.entries);
    if (!show(state) || state.verdict) return;
  }
}
