import { useEffect, useState } from 'preact/hooks';
import { callControl } from '../control.ts';
import { useControlQuery } from '../use-control-query.ts';
import { useGatewayCalls } from '../use-gateway-calls.ts';
import { useConsoleStore } from '../use-store.ts';
import { RunView } from './run-view.tsx';
import { type ScenarioItem, ScenarioList } from './scenario-list.tsx';

interface RunPartProps {
  readonly recorded: string | undefined;
  /**
   * Called with true when a run is shown, and with false when it is closed. The caller needs to know, because a run
   * takes up much room.
   */
  readonly onRunning: (running: boolean) => void;
}

interface StartedRun {
  readonly id: string;
  readonly scenario: ScenarioItem;
}

/** Shows the list of scenarios. When the user starts a scenario, its run takes the place of the list. */
export function ScenarioListOrRun({ recorded, onRunning }: RunPartProps) {
  const { clock } = useConsoleStore();
  const { data: scenarios, failed, again } = useControlQuery<ScenarioItem[]>('/console/scenarios');
  const [search, setSearch] = useState('');
  const [run, setRun] = useState<StartedRun>();
  const { act, problem } = useGatewayCalls();
  useEffect(again, [recorded]); // the recorded scenario is in the list too
  useEffect(() => onRunning(run !== undefined), [run]);
  const start = (scenario: ScenarioItem) =>
    void act(async () => {
      const body = { scenario: scenario.id };
      setRun({ scenario, id: (await callControl<{ run: string }>('POST', '/console/runs', body)).run });
    });
  const leave = ({ id }: StartedRun) => {
    void callControl('POST', `/console/runs/${id}/proceed`, { how: 'end' }).catch(() => {});
    setRun(undefined);
  };
  return (
    <section class="part" aria-labelledby="run-title">
      <h2 id="run-title">Run</h2>
      {run ? (
        <>
          <p>
            <strong>{run.scenario.name}</strong> <span class="none">{run.scenario.file}</span>
          </p>
          {run.scenario.description && <p>{run.scenario.description}</p>}
          <RunView
            key={run.id}
            clock={clock}
            run={run.id}
            onAgain={() => start(run.scenario)}
            onLeave={() => leave(run)}
          />
        </>
      ) : (
        <>
          <p class="none">
            Each scenario runs on a gateway and terminals of its own, in virtual time, and waits before each
            step until you choose \"Next step\" or \"Play\".
          </p>
          <label class="find">
            <span>Find</span>{' '}
            <input
              type="search"
              value={search}
              onInput={({ currentTarget }) => setSearch(currentTarget.value)}
            />
          </label>
          <p class="problem" role="alert">
            {problem ?? failed}
          </p>
          {!scenarios && !failed && <p class="none">Reading …</p>}
          {scenarios && <ScenarioList scenarios={scenarios} search={search} onStart={start} />}
        </>
      )}
    </section>
  );
}
