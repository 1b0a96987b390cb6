import type { RefObject } from 'preact';
import { useMemo } from 'preact/hooks';
import { withShortIds } from './entry-view.ts';
import { lanes, laneTitles, type TrafficLane } from './lanes.ts';
import { makePaymentNames } from './payment-names.ts';
import type { TrafficLog } from './traffic-log.ts';
import { rowTimeText } from './traffic-rows.ts';
import type { TrafficViewState } from './use-traffic-choice.ts';

interface BarProps {
  readonly log: TrafficLog;
  readonly choice: TrafficViewState;
  readonly findRef: RefObject<HTMLInputElement | null>;
}

/** The bar in which a user filters the traffic, and chooses the moment to look at. */
export function TrafficBar({ log, choice, findRef }: BarProps) {
  const { filter, change, rows, current, moveTo, paused } = choice;
  const payments = useMemo(() => makePaymentNames(log), [log, log.version]);
  const terminals = [...new Set(log.entries.flatMap(({ terminal }) => terminal ?? []))].sort();
  const hit = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    moveTo(rows.length === 0 ? 0 : (current + (event.shiftKey ? -1 : 1) + rows.length) % rows.length);
  };
  const toggle = (lane: TrafficLane) => {
    const wanted = new Set(filter.lanes);
    if (!wanted.delete(lane)) wanted.add(lane);
    change({ lanes: wanted });
  };
  return (
    <search class="bar" aria-label="Filter the traffic">
      <label class="find">
        <span>Find</span>
        <input
          type="search"
          ref={findRef}
          value={filter.text}
          placeholder="text, also in bodies"
          onInput={({ currentTarget }) => change({ text: currentTarget.value })}
          onKeyDown={hit}
        />
      </label>
      <output class="count">{countText(log, choice)}</output>
      <OneOrAll
        label="Payment"
        ids={[...payments.keys()]}
        nameOf={(id) => payments.get(id) ?? withShortIds(id)}
        chosen={filter.payment}
        onChoose={(payment) => change({ payment })}
      />
      <OneOrAll
        label="Terminal"
        ids={terminals}
        chosen={filter.terminal}
        onChoose={(terminal) => change({ terminal })}
      />
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
          onChange={() => change({ smallPrint: !filter.smallPrint })}
        />{' '}
        details
      </label>
      {paused !== undefined && (
        <button type="button" class="pause-button" aria-pressed={paused} onClick={choice.pause}>
          {paused ? 'Paused: go on' : 'Pause'}
        </button>
      )}
      <label class="scrub">
        <span>Look back to</span>
        <input
          type="range"
          min="0"
          max={Math.max(0, rows.length - 1)}
          value={Math.max(0, current)}
          aria-valuetext={rowTimeText(choice.row) ?? ''}
          onInput={({ currentTarget }) => moveTo(Number(currentTarget.value))}
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

interface OneOrAllProps {
  readonly label: string;
  readonly ids: readonly string[];
  readonly nameOf?: (id: string) => string;
  /** The id that is chosen; empty for all. */
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}

/** A field in which the user chooses one id, or all ids. The chosen id is offered even if no entry has this id. */
function OneOrAll({ label, ids, nameOf = (id) => id, chosen, onChoose }: OneOrAllProps) {
  const offered = chosen === '' || ids.includes(chosen) ? ids : [...ids, chosen];
  return (
    <label>
      <span>{label}</span>
      <select value={chosen} onInput={({ currentTarget }) => onChoose(currentTarget.value)}>
        <option value="">all</option>
        {offered.map((id) => (
          <option key={id} value={id}>
            {nameOf(id)}
          </option>
        ))}
      </select>
    </label>
  );
}

function countText(log: TrafficLog, { filter, rows, current }: TrafficViewState): string {
  const shown = rows.length;
  if (filter.text.trim() === '') return `${shown} of ${log.entries.length}`;
  if (shown === 0) return 'no hits';
  return `${current + 1} of ${shown} ${shown === 1 ? 'hit' : 'hits'}`;
}
