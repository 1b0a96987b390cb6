import { useEffect, useState } from 'preact/hooks';
import { callControl } from '../control.ts';
import { useAct } from '../use-act.ts';
import { useRead } from '../use-read.ts';
import { useStore } from '../use-store.ts';
import { RunView } from './run-view.tsx';
import { type ScenarioItem, ScenarioList } from './scenario-list.tsx';

interface RunPartProps {
  readonly recorded: string | undefined;
  /** Called with true when a run is shown, because a run needs much room, and with false when it is closed. */
  readonly onRunning: (running: boolean) => void;
}

/** Shows the list of scenarios, or the scenario that runs. */
export function RunPart({ recorded, onRunning }: RunPartProps) {
  const { clock } = useStore();
  const { data, failed, again } = useRead<ScenarioItem[]>('/console/scenarios', /^never$/);
  const [search, setSearch] = useState('');
  const [chosen, choose] = useState<string>();
  const [run, setRun] = useState<string>();
  const { act, problem } = useAct();
  useEffect(again, [recorded]);
  useEffect(() => onRunning(run !== undefined), [run]);
  const scenario = data?.find(({ id }) => id === chosen);
  const start = (id: string) => {
    choose(id);
    void act(async () =>
      setRun((await callControl<{ run: string }>('POST', '/console/runs', { scenario: id })).run),
    );
  };
  return (
    <section class="part" aria-labelledby="run-title">
      <h2 id="run-title">Run</h2>
      {scenario && run ? (
        <>
          <p>
            <strong>{scenario.name}</strong> <span class="none">{scenario.file}</span>
          </p>
          {scenario.description && <p>{scenario.description}</p>}
          <RunView
            key={run}
            clock={clock}
            run={run}
            onAgain={() => start(scenario.id)}
            onLeave={() => {
              void callControl('POST', `/console/runs/${run}/proceed`, { how: 'end' }).catch(() => {});
              setRun(undefined);
            }}
          />
        </>
      ) : (
        <>
          <p class="none">
            Each runs on a gateway and terminals of its own, in virtual time, and takes a step when you say
            so.
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
          {!data && !failed && <p class="none">Reading …</p>}
          {data && <ScenarioList scenarios={data} search={search} onStart={start} />}
        </>
      )}
    </section>
  );
}
