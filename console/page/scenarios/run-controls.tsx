import type { RunState } from './use-run.ts';

interface ControlsProps {
  readonly state: RunState | undefined;
  readonly shown: number;
  readonly begun: number;
  readonly playing: boolean;
  readonly onBack: () => void;
  readonly onForward: () => void;
  readonly onPlay: () => void;
  readonly onEnd: () => void;
  readonly onAgain: () => void;
  readonly onLeave: () => void;
}

/**
 * The buttons back, forward and play. They move through the steps that have already run. After the last of these
 * steps, they continue the run.
 */
export function RunControls(props: ControlsProps) {
  const { state, shown, begun, playing } = props;
  const waits = state?.waits ?? false;
  const isBack = shown < begun;
  return (
    <div class="form-row run-controls">
      <button type="button" disabled={shown === 0} onClick={props.onBack}>
        Step back
      </button>
      <button
        type="button"
        class="primary"
        disabled={playing || !(isBack || waits)}
        onClick={props.onForward}
      >
        Next step
      </button>
      <button type="button" aria-pressed={playing} disabled={begun === 0 && !waits} onClick={props.onPlay}>
        {playing ? 'Pause' : 'Play'}
      </button>
      <button type="button" disabled={!(isBack || waits)} onClick={props.onEnd}>
        {isBack ? 'To where it stands' : 'To the end'}
      </button>
      <button type="button" onClick={props.onAgain}>
        Run it again
      </button>
      <button type="button" class="quiet" onClick={props.onLeave}>
        Another scenario
      </button>
      <span role="status">
        {state && (
          <span class="none">
            {isBack ? `state after step ${shown} of ${state.steps.length}` : progressOf(state, begun)}
          </span>
        )}{' '}
        {state?.verdict && (
          <span class={`state ${state.verdict === 'passed' ? 'success' : 'error'}`}>{state.verdict}</span>
        )}
      </span>
    </div>
  );
}

function progressOf({ steps }: RunState, begun: number): string {
  return `${begun} of ${steps.length} steps`;
}
