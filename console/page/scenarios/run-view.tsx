import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import type { Clock } from '../../../shared/clock.ts';
import { ScreenPicture, screensAt } from '../traffic/screen-picture.tsx';
import { TrafficView } from '../traffic/traffic-view.tsx';
import { RunControls } from './run-controls.tsx';
import { RunSteps } from './run-steps.tsx';
import { useRun } from './use-run.ts';

/** How long each step is shown, as with `pinpad run --slow`. */
const stepMs = 900;

interface RunProps {
  readonly clock: Clock;
  readonly run: string;
  readonly onAgain: () => void;
  readonly onLeave: () => void;
}

type Run = ReturnType<typeof useRun>;

/**
 * Decides how many steps are shown as played. The view follows the run, unless the user looks at an earlier step. From
 * an earlier step, Play and the right arrow key first show the later steps that have already run. After the last of
 * these steps, they continue the run.
 */
function usePlayback(clock: Clock, { state, proceed }: Pick<Run, 'state' | 'proceed'>) {
  /** How many steps are shown as played; undefined while the view follows the run. */
  const [looksAt, lookAt] = useState<number>();
  const [playing, play] = useState(false);
  const begun = state?.steps.filter(({ seq }) => seq !== undefined).length ?? 0;
  const shown = looksAt ?? begun;
  const waits = state?.waits ?? false;
  const over = state?.verdict !== undefined;
  const toStep = (count: number) => lookAt(count < begun ? Math.max(0, count) : undefined);
  const forward = () => (shown < begun ? toStep(shown + 1) : proceed('step'));
  const pressedPlay = () => {
    if (!playing && over && shown === begun) toStep(0);
    play(!playing);
  };
  useEffect(() => {
    if (!playing) return;
    if (over && shown === begun) return play(false);
    if (shown === begun && !waits) return;
    const timer = clock.setTimeout(forward, stepMs);
    return () => clock.clearTimeout(timer);
  }, [playing, waits, over, shown, state?.version]);
  // This effect must not wait for the next paint. Otherwise, a key that is pressed before the next paint would move
  // from the wrong step.
  useLayoutEffect(() => {
    const pressed = ({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
      if (ctrlKey || metaKey || altKey || (target as Element).matches('input, select, pre')) return;
      if (key === 'ArrowLeft') toStep(shown - 1);
      if (key === 'ArrowRight' && (shown < begun || waits)) forward();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  });
  return { looksAt, shown, begun, playing, pressedPlay, toStep, forward };
}

/**
 * A running scenario: its steps, the screens of the terminals, and the traffic. While the run is paused, the user can
 * look at earlier steps and replay them from the recorded data.
 */
export function RunView({ clock, run, onAgain, onLeave }: RunProps) {
  const { log, state, problem, proceed } = useRun(run);
  const { looksAt, shown, begun, playing, pressedPlay, toStep, forward } = usePlayback(clock, {
    state,
    proceed,
  });
  const until = looksAt === undefined ? Number.POSITIVE_INFINITY : (state?.steps[looksAt]?.seq ?? 0);
  const wanted = useMemo(() => ({ moment: { steps: shown, seq: until } }), [shown, until]);
  const screens = screensAt(log.entries, until);
  return (
    <>
      <RunControls
        state={state}
        shown={shown}
        begun={begun}
        playing={playing}
        onBack={() => toStep(shown - 1)}
        onForward={forward}
        onPlay={pressedPlay}
        onEnd={() => (shown < begun ? toStep(begun) : proceed('end'))}
        onAgain={onAgain}
        onLeave={onLeave}
      />
      {(problem ?? state?.failure) && <pre class="problem">{problem ?? state?.failure}</pre>}
      <div class="run-view">
        <div class="run-side">
          <RunSteps state={state} begun={begun} shown={shown} onStep={toStep} />
          <div class="run-screens">
            {screens.map((entry) => (
              <ScreenPicture key={entry.terminal} entry={entry} />
            ))}
          </div>
        </div>
        <TrafficView log={log} live={true} wanted={looksAt === undefined ? undefined : wanted} />
      </div>
    </>
  );
}
