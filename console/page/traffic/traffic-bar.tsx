import type { RefObject } from 'preact';
import { useMemo } from 'preact/hooks';
import { shortened } from './entry-view.ts';
import { lanes, laneTitles, type TrafficLane } from './lanes.ts';
import { paymentNames } from './payment-names.ts';
import type { TrafficLog } from './traffic-log.ts';
import type { TrafficFilter } from './traffic-rows.ts';

interface BarProps {
  readonly log: TrafficLog;
  readonly filter: TrafficFilter;
  readonly onChange: (changes: Partial<TrafficFilter>) => void;
  readonly findRef: RefObject<HTMLInputElement | null>;
  readonly onHit: (by: 1 | -1) => void;
  readonly shown: number;
  readonly hit: number;
  /** Undefined where nothing more comes. */
  readonly paused: boolean | undefined;
  readonly onPause: () => void;
  readonly moment: number;
  readonly momentText: string;
  readonly onMoment: (index: number) => void;
}

/** What of the traffic is shown, and which moment. */
export function TrafficBar(props: BarProps) {
  const { log, filter, onChange, shown } = props;
  const payments = useMemo(() => paymentNames(log), [log, log.version]);
  const terminals = [...new Set(log.entries.flatMap(({ terminal }) => terminal ?? []))].sort();
  const hit = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    props.onHit(event.shiftKey ? -1 : 1);
  };
  const toggle = (lane: TrafficLane) => {
    const wanted = new Set(filter.lanes);
    if (!wanted.delete(lane)) wanted.add(lane);
    onChange({ lanes: wanted });
  };
  return (
    <search class="bar" aria-label="Filter the traffic">
      <label class="find">
        <span>Find</span>
        <input
          type="search"
          ref={props.findRef}
          value={filter.text}
          placeholder="text, also in bodies"
          onInput={({ currentTarget }) => onChange({ text: currentTarget.value })}
          onKeyDown={hit}
        />
      </label>
      <output class="count">{countText(props)}</output>
      <label>
        <span>Payment</span>
        <select
          value={filter.payment}
          onInput={({ currentTarget }) => onChange({ payment: currentTarget.value })}
        >
          <option value="">all</option>
          {withChosen([...payments.keys()], filter.payment).map((id) => (
            <option key={id} value={id}>
              {payments.get(id) ?? shortened(id)}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>Terminal</span>
        <select
          value={filter.terminal}
          onInput={({ currentTarget }) => onChange({ terminal: currentTarget.value })}
        >
          <option value="">all</option>
          {withChosen(terminals, filter.terminal).map((id) => (
            <option key={id}>{id}</option>
          ))}
        </select>
      </label>
      <fieldset class="lanes-chosen">
        <legend>Lanes</legend>
        {lanes.map((lane) => (
          <label key={lane}>
            <input type="checkbox" checked={filter.lanes.has(lane)} onChange={() => toggle(lane)} />{' '}
            {laneTitles[lane]}
          </label>
        ))}
      </fieldset>
      <label class="small-print">
        <input
          type="checkbox"
          checked={filter.smallPrint}
          onChange={() => onChange({ smallPrint: !filter.smallPrint })}
        />{' '}
        details
      </label>
      {props.paused !== undefined && (
        <button type="button" class="pause-button" aria-pressed={props.paused} onClick={props.onPause}>
          {props.paused ? 'Paused: go on' : 'Pause'}
        </button>
      )}
      <label class="scrub">
        <span>Look back to</span>
        <input
          type="range"
          min="0"
          max={Math.max(0, shown - 1)}
          value={props.moment}
          aria-valuetext={props.momentText}
          onInput={({ currentTarget }) => props.onMoment(Number(currentTarget.value))}
        />
      </label>
      {log.skipped > 0 && (
        <p class="skipped" role="alert">
          {log.skipped} older entries came faster than they could be shown and were left out.
        </p>
      )}
    </search>
  );
}

function withChosen(all: readonly string[], chosen: string): readonly string[] {
  return chosen === '' || all.includes(chosen) ? all : [...all, chosen];
}

function countText({ filter, shown, hit, log }: BarProps): string {
  if (filter.text.trim() === '') return `${shown} of ${log.entries.length}`;
  if (shown === 0) return 'no hits';
  return `${hit + 1} of ${shown} ${shown === 1 ? 'hit' : 'hits'}`;
}
