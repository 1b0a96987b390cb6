import type { JournalEntry } from '../../../shared/journal.ts';
import { EntryDetail, type StepLookup } from './entry-detail.tsx';
import { ScreenPicture, screensAt } from './screen-picture.tsx';
import type { TrafficLog } from './traffic-log.ts';
import { rowTimeText } from './traffic-rows.ts';
import type { TrafficViewState } from './use-traffic-choice.ts';

interface ChosenLineProps {
  readonly log: TrafficLog;
  readonly choice: TrafficViewState;
  /** The entry that the line shows. If the line shows no entry, the last entry before the line. */
  readonly entry: JournalEntry | undefined;
  readonly stepOf: StepLookup | undefined;
}

/** Shows the chosen line in full, and the terminals' screens at that moment. */
export function ChosenLine({ log, choice, entry, stepOf }: ChosenLineProps) {
  const { row, rows, change, setOpened } = choice;
  return (
    <aside class="side" aria-label="The chosen line">
      <button type="button" class="close" onClick={() => setOpened(false)}>
        Back to the list
      </button>
      {row?.type === 'step' && <pre class="step-text">{row.step.text}</pre>}
      {row?.type === 'entry' && (
        <EntryDetail
          key={row.key}
          log={log}
          entry={row.view.entry}
          stepOf={stepOf}
          onPayment={(payment) => change({ payment })}
        />
      )}
      {!row && rows.length > 0 && <p class="none">Choose a line to see all of it.</p>}
      <h2>
        What the terminals showed <span class="moment">{row ? rowTimeText(row) : 'at the end'}</span>
      </h2>
      <div class="screens">
        {screensAt(log.entries, entry?.seq ?? 0).map((screen) => (
          <ScreenPicture key={screen.terminal} entry={screen} />
        ))}
      </div>
    </aside>
  );
}
