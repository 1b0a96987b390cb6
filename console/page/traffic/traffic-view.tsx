import { useRef } from 'preact/hooks';
import { useObservable } from '../observable.ts';
import { VirtualList } from '../virtual-list.tsx';
import { ChosenLine } from './chosen-line.tsx';
import type { StepLookup } from './entry-detail.tsx';
import { lanes, laneTitles } from './lanes.ts';
import { TrafficBar } from './traffic-bar.tsx';
import type { TrafficLog } from './traffic-log.ts';
import { TrafficRowLine } from './traffic-row.tsx';
import { noFilter, type TrafficFilter } from './traffic-rows.ts';
import { useKeys } from './use-keys.ts';
import { type TrafficLinkTarget, useTrafficViewState } from './use-traffic-choice.ts';

interface TrafficProps {
  readonly log: TrafficLog;
  /** Whether further entries can arrive. If so, the user can pause the view. */
  readonly live: boolean;
  /**
   * The lines that are selected when the view opens. They are selected again whenever the user follows a link to this
   * view.
   */
  readonly wanted?: TrafficLinkTarget;
  /** Returns entries as steps of a scenario. If absent, the view offers no steps. */
  readonly stepOf?: StepLookup;
}

/** Shows the messages between the parties in lanes. The console, trace files and live traces use this view. */
export function TrafficView({ log, live, wanted, stepOf }: TrafficProps) {
  useObservable(log);
  const find = useRef<HTMLInputElement>(null);
  const choice = useTrafficViewState(log, live, wanted);
  const { filter, change, rows, current, row, moveTo, opened, setOpened } = choice;
  const upToHere = row ? rows.slice(0, current + 1) : rows;
  const shown = upToHere.findLast((each) => each.type === 'entry');
  const by = (places: number) => () => moveTo(current + places);
  useKeys({
    ArrowDown: by(1),
    ArrowUp: by(-1),
    j: by(1),
    k: by(-1),
    PageDown: by(20),
    PageUp: by(-20),
    Home: () => moveTo(0),
    End: () => moveTo(rows.length - 1),
    Enter: () => setOpened(!opened),
    f: () => {
      const failed = rows.findIndex((each) => each.type === 'step' && each.step.failed);
      if (failed >= 0) moveTo(failed);
    },
    '/': () => find.current?.focus(),
    Escape: () => {
      setOpened(false);
      change(noFilter);
    },
  });

  return (
    <div class={`traffic ${opened ? 'opened' : ''}`}>
      <TrafficBar log={log} choice={choice} findRef={find} />
      <div class="lane-heads" aria-hidden="true">
        <span>Time</span>
        {lanes.map((lane) => (
          <span key={lane}>{laneTitles[lane]}</span>
        ))}
      </div>
      {rows.length === 0 ? (
        <p class="none nothing">{nothingOf(log, filter)}</p>
      ) : (
        <VirtualList
          rows={rows}
          box={{
            role: 'listbox',
            'aria-label': 'What happened',
            'aria-activedescendant': row && `row-${row.key}`,
          }}
          current={choice.isChosen ? current : -1}
          currentId={choice.isChosen ? row?.key : undefined}
          follows={choice.follows}
          onFollows={choice.follow}
          draw={(shown, first) =>
            shown.map((each, nth) => (
              <TrafficRowLine
                key={each.key}
                row={each}
                index={first + nth}
                count={rows.length}
                selected={first + nth === current}
                later={row !== undefined && first + nth > current}
                onSelect={() => {
                  moveTo(first + nth);
                  setOpened(true);
                }}
              />
            ))
          }
        />
      )}
      <ChosenLine log={log} choice={choice} entry={shown?.view.entry} stepOf={stepOf} />
    </div>
  );
}

/**
 * Returns the reason why no entries are shown. If a restart of pinpad has removed the payment's entries, the text is
 * the same as on pinpad's screen (B265).
 */
function nothingOf(log: TrafficLog, { payment }: TrafficFilter): string {
  if (payment !== '' && !log.entries.some((entry) => log.paymentOf(entry) === payment))
    return 'The journal is empty. It begins at the start of pinpad.';
  return log.entries.length === 0 ? 'Nothing has happened yet.' : 'Nothing fits the filter.';
}
