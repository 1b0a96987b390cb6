import { useState } from 'preact/hooks';
import type { ConsoleStore } from '../console-store.ts';
import { control } from '../control.ts';
import { CopyButton } from '../copy-button.tsx';
import { useRead } from '../use-read.ts';

interface RecordProps {
  readonly store: ConsoleStore;
  /** The scenario that was recorded last. */
  readonly scenario: string | undefined;
  readonly onRecorded: (scenario: string | undefined) => void;
}

/** Records the actions at the terminals and the requests of the point of sale as a scenario (docs/recording.md). */
export function RecordPart({ store, scenario, onRecorded }: RecordProps) {
  const { data, again } = useRead<{ recording: boolean }>(store, '/console/recording', /^never$/);
  const [problem, say] = useState<string>();
  const attempt = async (work: () => Promise<void>) => {
    say(undefined);
    await work().catch((error: Error) => say(error.message));
    again();
  };
  const begin = () =>
    attempt(async () => {
      await control('POST', '/console/recording');
      onRecorded(undefined);
    });
  const end = () =>
    attempt(async () =>
      onRecorded((await control<{ scenario: string }>('DELETE', '/console/recording')).scenario),
    );
  return (
    <section class="part" aria-labelledby="record-title">
      <h2 id="record-title">Record</h2>
      <div class="form-row">
        {data?.recording ? (
          <button type="button" class="primary" onClick={end}>
            Stop recording
          </button>
        ) : (
          <button type="button" onClick={begin}>
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
            It is the first scenario in the list below. To keep it, save it in the folder{' '}
            <code>scenarios/</code>.
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
