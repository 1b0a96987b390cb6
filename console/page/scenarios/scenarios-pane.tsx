import { useState } from 'preact/hooks';
import { useConsoleStore } from '../use-store.ts';
import { LastExplorationPart } from './explored-part.tsx';
import { ScenarioRecordingPart } from './record-part.tsx';
import { ScenarioListOrRun } from './run-part.tsx';

/** The pane that records actions as a scenario, and runs scenarios step by step. */
export function ScenariosPane() {
  const { offers } = useConsoleStore();
  const [recorded, setRecorded] = useState<string>();
  const [running, setRunning] = useState(false);
  return (
    <div class={`scenarios ${running ? 'running' : ''}`}>
      {offers.record && !running && <ScenarioRecordingPart scenario={recorded} onRecorded={setRecorded} />}
      {offers.scenarios && <ScenarioListOrRun recorded={recorded} onRunning={setRunning} />}
      {offers.explorations && !running && <LastExplorationPart />}
      {!offers.record && !offers.scenarios && (
        <p class="none nothing">
          Scenarios can only be recorded and run at a gateway that the command pinpad started.
        </p>
      )}
    </div>
  );
}
