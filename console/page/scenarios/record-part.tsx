import { callControl } from '../control.ts';
import { CopyButton } from '../copy-button.tsx';
import { useControlQuery } from '../use-control-query.ts';
import { useGatewayCalls } from '../use-gateway-calls.ts';

interface RecordProps {
  /** The scenario that was recorded last. */
  readonly scenario: string | undefined;
  readonly onRecorded: (scenario: string | undefined) => void;
}

/** Records the actions at the terminals and the requests of the point of sale as a scenario (docs/recording.md). */
export function ScenarioRecordingPart({ scenario, onRecorded }: RecordProps) {
  const { data, again } = useControlQuery<{ recording: boolean }>('/console/recording');
  const { act, problem } = useGatewayCalls();
  const begin = () => callControl('POST', '/console/recording').then(() => onRecorded(undefined));
  const end = () =>
    callControl<{ scenario: string }>('DELETE', '/console/recording').then(({ scenario }) =>
      onRecorded(scenario),
    );
  return (
    <section class="part" aria-labelledby="record-title">
      <h2 id="record-title">Record</h2>
      <div class="form-row">
        {data?.recording ? (
          <button type="button" class="primary" onClick={() => act(end).then(again)}>
            Stop recording
          </button>
        ) : (
          <button type="button" onClick={() => act(begin).then(again)}>
            Record everything from now on
          </button>
        )}
        {data?.recording && (
          <span class="state error" role="status">
            recording
          </span>
        )}
        <span class="problem" role="alert">
          {problem}
        </span>
      </div>
      {scenario !== undefined && (
        <>
          <pre class="scenario-text">{scenario}</pre>
          <p class="none">
            The recording is the first scenario in the list below. To keep the recording, save it in the
            folder <code>scenarios/</code>.
          </p>
          <div class="buttons">
            <button type="button" onClick={() => download('recorded.yaml', scenario)}>
              Download
            </button>
            <CopyButton text={() => scenario}>Copy</CopyButton>
          </div>
        </>
      )}
    </section>
  );
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/yaml' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}
