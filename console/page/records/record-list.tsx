import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useRowsInView } from '../rows-in-view.ts';

/** A column of a list of records. */
export interface Column<Each> {
  readonly title: string;
  readonly draw: (record: Each) => ComponentChildren;
  /** Numbers are aligned to the right. */
  readonly number?: boolean;
  /** The column is left out if there is little room. */
  readonly minor?: boolean;
}

interface ListProps<Each> {
  readonly label: string;
  readonly records: readonly Each[];
  readonly columns: readonly Column<Each>[];
  readonly idOf: (record: Each) => string;
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
  /** Called when the end of the list is nearly in view. */
  readonly onEnd: () => void;
}

const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15 };

/** Records as a table. Only the rows in view are in the page. A click opens a row, the arrow keys open the next one. */
export function RecordList<Each>(props: ListProps<Each>) {
  const { records, columns, idOf, chosen, onChoose } = props;
  const list = useRef<HTMLDivElement>(null);
  const askForMore = () => {
    const { scrollTop, clientHeight, scrollHeight } = list.current as HTMLDivElement;
    if (scrollTop + 2 * clientHeight > scrollHeight) props.onEnd();
  };
  const { first, end, rowHeight, look } = useRowsInView(list, askForMore);
  const ids = records.map(idOf);
  const pressed = useChoiceByKeys(list, { ids, chosen, rowHeight, onChoose });
  const shown = records.slice(first, end);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys go through the rows of its table
    <div
      class="list"
      ref={list}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
      tabIndex={0}
      onScroll={() => {
        look();
        askForMore();
      }}
      onKeyDown={pressed}
    >
      <table class="records" aria-label={props.label} aria-rowcount={records.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Gap rows={first} height={rowHeight} />
          {shown.map((record, index) => (
            <RecordRow
              key={idOf(record)}
              record={record}
              columns={columns}
              place={first + index}
              isChosen={idOf(record) === chosen}
              onChoose={() => onChoose(idOf(record))}
            />
          ))}
          <Gap rows={records.length - first - shown.length} height={rowHeight} />
        </tbody>
      </table>
    </div>
  );
}

interface RowProps<Each> {
  readonly record: Each;
  readonly columns: readonly Column<Each>[];
  /** The index of the record in the whole list. */
  readonly place: number;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

/** A record as a row of the table. Its first cell is a button, for users who cannot click on a row. */
function RecordRow<Each>({ record, columns, place, isChosen, onChoose }: RowProps<Each>) {
  return (
    <tr
      class={isChosen ? 'chosen' : ''}
      aria-rowindex={place + 2}
      aria-selected={isChosen}
      onClick={onChoose}
    >
      {columns.map((column, nth) => (
        <td key={column.title} class={classOf(column)}>
          {nth > 0 ? (
            column.draw(record)
          ) : (
            <button type="button" class="link" tabIndex={-1} aria-expanded={isChosen}>
              {column.draw(record)}
            </button>
          )}
        </td>
      ))}
    </tr>
  );
}

interface Choice {
  readonly ids: readonly string[];
  readonly chosen: string | undefined;
  readonly rowHeight: number;
  readonly onChoose: (id: string) => void;
}

/** Gives what a key does: it chooses another record, which the list then brings into view. */
function useChoiceByKeys(
  list: RefObject<HTMLDivElement | null>,
  { ids, chosen, rowHeight, onChoose }: Choice,
) {
  const moved = useRef(false);
  const current = chosen === undefined ? -1 : ids.indexOf(chosen);
  useEffect(() => {
    if (!moved.current) return;
    moved.current = false;
    const element = list.current as HTMLDivElement;
    bringIntoView(element, current, rowHeight);
    element.focus();
  }, [chosen]);
  return (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const id = ids[placeAfter(event.key, current, ids.length) ?? -1];
    if (id === undefined) return;
    event.preventDefault();
    moved.current = id !== chosen;
    if (moved.current) onChoose(id);
  };
}

/** The index to which a key leads; undefined if it leads nowhere. */
function placeAfter(key: string, from: number, count: number): number | undefined {
  const ends: Record<string, number> = { Home: 0, End: count - 1 };
  const by = steps[key];
  const wanted = ends[key] ?? (by === undefined ? undefined : from + by);
  return wanted === undefined ? undefined : Math.min(count - 1, Math.max(0, wanted));
}

function classOf({ number, minor }: Pick<Column<never>, 'number' | 'minor'>): string {
  return [number && 'number', minor && 'minor'].filter(Boolean).join(' ');
}

/** The space of the rows that are not in view. */
function Gap({ rows, height }: { rows: number; height: number }) {
  return rows > 0 ? <tr class="gap" style={{ height: `${rows * height}px` }} /> : null;
}

/** Brings a row into view, below the heading, which does not scroll. */
function bringIntoView(element: HTMLElement, index: number, row: number): void {
  const top = index * row;
  if (top < element.scrollTop) element.scrollTop = top;
  else if (top + 2 * row > element.scrollTop + element.clientHeight)
    element.scrollTop = top + 2 * row - element.clientHeight;
}

/** The end of an identifier, which is enough to compare. */
export function shortId(id: string): string {
  return /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(id) ? `…${id.slice(-6)}` : id;
}
