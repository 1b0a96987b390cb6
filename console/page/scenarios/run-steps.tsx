import type { RunState } from './use-run.ts';

interface StepsProps {
  readonly state: RunState | undefined;
  /** How many steps have begun, and how many of them are shown as played. */
  readonly begun: number;
  readonly shown: number;
  /** Shows the state after the first `count` steps. */
  readonly onStep: (count: number) => void;
}

/** The steps of a scenario. A click on a step that was played shows the state after this step again. */
export function RunSteps({ state, begun, shown, onStep }: StepsProps) {
  return (
    <ol class="run-steps" aria-label="Steps">
      {state?.steps.map(({ text, place }, index) => (
        <li
          key={index}
          class={stepClass(state, index, begun, shown)}
          aria-current={index === shown - 1 ? 'step' : undefined}
        >
          {index < begun ? (
            <button type="button" title="Show the state after this step" onClick={() => onStep(index + 1)}>
              <code>{text}</code> <span class="none">{place}</span>
            </button>
          ) : (
            <p>
              <code>{text}</code> <span class="none">{place}</span>
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}

function stepClass({ waits, verdict }: RunState, index: number, begun: number, shown: number): string {
  const looked = index === shown - 1 && shown < begun ? 'looked-at ' : '';
  if (verdict === 'failed' && index === begun - 1) return `${looked}failed`;
  if (index < begun) return `${looked}${index < shown ? 'done' : 'done later'}`;
  return waits && index === begun && shown === begun ? 'waits' : '';
}
