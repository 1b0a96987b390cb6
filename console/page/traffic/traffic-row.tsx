import { isoTime } from '../../../shared/clock.ts';
import { senderAndReceiverText } from './entry-view.ts';
import type { TrafficRow } from './traffic-rows.ts';

interface RowProps {
  readonly row: TrafficRow;
  readonly index: number;
  readonly count: number;
  readonly selected: boolean;
  /** Whether the line is after the moment that the user looks at. */
  readonly later: boolean;
  readonly onSelect: () => void;
}

/** Shows one line: an arrow or note in its lanes, a step, or a pause. */
export function TrafficRowLine({ row, index, count, selected, later, onSelect }: RowProps) {
  const marks = [selected && 'now', later && 'later'].filter(Boolean).join(' ');
  const common = {
    id: `row-${row.key}`,
    role: 'option',
    'aria-selected': selected,
    'aria-posinset': index + 1,
    'aria-setsize': count,
    onClick: onSelect,
  } as const;
  if (row.type === 'pause')
    return (
      <div {...common} class={`row pause ${marks}`}>
        {row.text}
      </div>
    );
  if (row.type === 'step')
    return (
      <div {...common} class={`row step ${row.step.failed ? 'failed' : ''} ${marks}`}>
        <span class="place">{row.step.place}</span>
        <code>{row.step.text.split('\n')[0]}</code>
      </div>
    );
  const { view, time } = row;
  const kinds = [view.tone, view.smallPrint && 'small', view.broken && 'broken'].filter(Boolean).join(' ');
  return (
    <div {...common} class={`row entry ${kinds} ${marks}`} data-seq={view.entry.seq}>
      <time dateTime={isoTime(view.entry.at)}>{time}</time>
      <span class="way">{senderAndReceiverText(view)}</span>
      <span class={`line ${view.direction} c${view.start + 1} s${view.span}`}>
        <span class="text">{view.label}</span>
      </span>
    </div>
  );
}
