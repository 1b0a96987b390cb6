import { useState } from 'preact/hooks';
import type { ConsoleStore } from '../console-store.ts';
import { ExploredPart } from './explored-part.tsx';
import { RecordPart } from './record-part.tsx';
import { RunPart } from './run-part.tsx';

/** The pane that records actions as a scenario, and runs scenarios step by step. */
export function ScenariosPane({ store }: { store: ConsoleStore }) {
  const [recorded, setRecorded] = useState<string>();
  const [running, setRunning] = useState(false);
  return (
    <div class={`scenarios ${running ? 'running' : ''}`}>
      {store.offers.record && !running && (
        <RecordPart store={store} scenario={recorded} onRecorded={setRecorded} />
      )}
      {store.offers.scenarios && <RunPart store={store} recorded={recorded} onRunning={setRunning} />}
      {store.offers.explorations && !running && <ExploredPart store={store} />}
      {!store.offers.record && !store.offers.scenarios && (
        <p class="none nothing">
          Scenarios can only be recorded and run at a gateway that the command pinpad started.
        </p>
      )}
    </div>
  );
}
