import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useObservable } from '../observable.ts';
import { EntryDetail, type StepOf } from './entry-detail.tsx';
import { Glass, screensAt } from './glass.tsx';
import { lanes, laneTitles } from './lanes.ts';
import { TrafficBar } from './traffic-bar.tsx';
import type { TrafficLog } from './traffic-log.ts';
import { TrafficRowLine } from './traffic-row.tsx';
import { everything, type TrafficFilter, type TrafficRow, trafficRowsOf } from './traffic-rows.ts';
import { VirtualList } from './virtual-list.tsx';

/** What a link to the traffic selects of it. */
export interface WantedTraffic extends Partial<TrafficFilter> {
  readonly seq?: number;
  /** The step that failed. */
  readonly failure?: true;
  /** What there was after so many steps, up to an entry. */
  readonly moment?: { readonly steps: number; readonly seq: number };
}

interface TrafficProps {
  readonly log: TrafficLog;
  /** Whether more comes, so that it can be paused. */
  readonly live: boolean;
  /** The selection at first, and whenever a link leads here. */
  readonly wanted?: WantedTraffic;
  /** Without it no entry is offered as a step of a scenario. */
  readonly stepOf?: StepOf;
}

/** Who said what to whom, as lanes: the traffic of a console, a trace file, a live trace. */
export function TrafficView({ log, live, wanted, stepOf }: TrafficProps) {
  useObservable(log);
  const [filter, setFilter] = useState<TrafficFilter>({ ...everything, ...(wanted?.moment ? {} : wanted) });
  const [currentKey, setCurrentKey] = useState<string>();
  const [follows, setFollows] = useState(live);
  const [paused, setPaused] = useState<number>();
  const [opened, setOpened] = useState(false);
  const find = useRef<HTMLInputElement>(null);

  const all = useMemo(() => trafficRowsOf(log, filter), [log, log.version, filter]);
  const rows =
    paused === undefined ? all : all.filter((row) => row.type !== 'entry' || row.view.entry.seq <= paused);
  const searching = filter.text.trim() !== '';
  // Where nothing more comes, one reads from the top, and nothing is chosen before one chooses (B263).
  const current = positionOf(rows, currentKey, searching ? 'first' : live ? 'last' : 'none');
  const row = rows[current];
  const shownEntry =
    row?.type === 'entry' ? row.view.entry : lastEntryBefore(rows, row ? current : rows.length - 1);

  const moveTo = (index: number) => {
    const target = rows[Math.min(rows.length - 1, Math.max(0, index))];
    if (!target) return;
    setFollows(live && index >= rows.length - 1);
    setCurrentKey(target.key);
  };
  const change = (changes: Partial<TrafficFilter>) => {
    if ('text' in changes || 'payment' in changes) setCurrentKey(undefined);
    setFollows(live && !changes.text);
    setFilter({ ...filter, ...changes });
  };
  const toFailure = () => {
    const at = rows.findIndex((each) => each.type === 'step' && each.step.failed);
    if (at >= 0) moveTo(at);
  };

  useEffect(() => {
    if (!wanted) return;
    const { seq, failure, moment, ...filter } = wanted;
    if (moment) {
      const last = all.findLast((row) => isBefore(row, moment));
      setFollows(false);
      return setCurrentKey(last?.key ?? all[0]?.key);
    }
    const failed = log.steps.findIndex((step) => step.failed);
    setFilter({ ...everything, ...filter });
    setCurrentKey(failure ? `s${failed}` : seq === undefined ? undefined : `e${seq}`);
    setFollows(live && seq === undefined);
    setOpened(seq !== undefined);
  }, [wanted]);
  const lookedBack = useRef(false);
  useEffect(() => {
    if (lookedBack.current && !wanted?.moment) {
      setCurrentKey(undefined);
      setFollows(live);
    }
    lookedBack.current = wanted?.moment !== undefined;
  }, [wanted]);

  const keys: Record<string, () => void> = {
    ArrowDown: () => moveTo(current + 1),
    ArrowUp: () => moveTo(current - 1),
    j: () => moveTo(current + 1),
    k: () => moveTo(current - 1),
    PageDown: () => moveTo(current + 20),
    PageUp: () => moveTo(current - 20),
    Home: () => moveTo(0),
    End: () => moveTo(rows.length - 1),
    Enter: () => setOpened(!opened),
    f: toFailure,
    '/': () => find.current?.focus(),
    Escape: () => {
      setOpened(false);
      change(everything);
    },
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as Element;
    const typing = target.matches('input, select, textarea, pre');
    if (typing && event.key !== 'Escape') return;
    if (event.key === 'Enter' && target.matches('button, a, summary')) return;
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  useLayoutEffect(() => {
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  });

  return (
    <div class={`traffic ${opened ? 'opened' : ''}`}>
      <TrafficBar
        log={log}
        filter={filter}
        onChange={change}
        findRef={find}
        onHit={(by) => moveTo(rows.length === 0 ? 0 : (current + by + rows.length) % rows.length)}
        shown={rows.length}
        hit={current}
        paused={live ? paused !== undefined : undefined}
        onPause={() => setPaused(paused === undefined ? (log.entries.at(-1)?.seq ?? 0) : undefined)}
        moment={Math.max(0, current)}
        momentText={shownEntry ? (rowTime(row) ?? '') : ''}
        onMoment={moveTo}
      />
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
          keyOf={({ key }) => key}
          label="What happened"
          current={currentKey === undefined && !searching ? -1 : current}
          active={row && `row-${row.key}`}
          follows={follows && paused === undefined}
          onFollows={(at) => at !== follows && live && setFollows(at)}
          draw={(each, index) => (
            <TrafficRowLine
              key={each.key}
              row={each}
              index={index}
              count={rows.length}
              selected={index === current}
              later={row !== undefined && index > current}
              onSelect={() => {
                moveTo(index);
                setOpened(true);
              }}
            />
          )}
        />
      )}
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
          What the terminals showed <span class="moment">{row ? rowTime(row) : 'at the end'}</span>
        </h2>
        <div class="screens">
          {screensAt(log.entries, shownEntry?.seq ?? 0).map((entry) => (
            <Glass key={entry.terminal} entry={entry} />
          ))}
        </div>
      </aside>
    </div>
  );
}

/** Why there is nothing: of a payment from before a restart, what the screen says of it (B265). */
function nothingOf(log: TrafficLog, { payment }: TrafficFilter): string {
  if (payment !== '' && !log.entries.some((entry) => log.paymentOf(entry) === payment))
    return 'Nothing in the journal, which begins at the start of pinpad.';
  return log.entries.length === 0 ? 'Nothing has happened yet.' : 'Nothing fits the filter.';
}

/** Steps are counted, since one that causes nothing stands at the same entry as the next. */
function isBefore(row: TrafficRow, { steps, seq }: NonNullable<WantedTraffic['moment']>): boolean {
  if (row.type === 'entry') return row.view.entry.seq <= seq;
  return row.type === 'step' && Number(row.key.slice(1)) < steps;
}

function positionOf(
  rows: readonly TrafficRow[],
  key: string | undefined,
  otherwise: 'first' | 'last' | 'none',
): number {
  const found = key === undefined ? -1 : rows.findIndex((row) => row.key === key);
  if (found >= 0) return found;
  return { none: -1, first: 0, last: rows.length - 1 }[otherwise];
}

function lastEntryBefore(rows: readonly TrafficRow[], index: number) {
  for (let at = Math.min(index, rows.length - 1); at >= 0; at--) {
    const row = rows[at];
    if (row?.type === 'entry') return row.view.entry;
  }
  return undefined;
}

function rowTime(row: TrafficRow | undefined): string | undefined {
  return row?.type === 'entry' ? row.view.time : undefined;
}
