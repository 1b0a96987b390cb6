import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** A column of a list of records. */
export interface Column<Each> {
  readonly title: string;
  readonly draw: (record: Each) => ComponentChildren;
  /** Numbers stand to the right. */
  readonly number?: boolean;
  /** Left out where there is little room. */
  readonly minor?: boolean;
}

interface ListProps<Each> {
  readonly label: string;
  readonly records: readonly Each[];
  readonly columns: readonly Column<Each>[];
  readonly idOf: (record: Each) => string;
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
  /** The end of the list is nearly in view. */
  readonly onEnd: () => void;
}

/** Rows above and below those in view, so that a quick scroll shows no hole. */
const spare = 15;
const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15 };

/** Records as a table, of which only the rows in view are in the page; each row opens one, the arrow keys the next. */
export function RecordList<Each>(props: ListProps<Each>) {
  const { records, columns, idOf, chosen, onChoose } = props;
  const list = useRef<HTMLDivElement>(null);
  const moved = useRef(false);
  const [view, setView] = useState({ top: 0, height: 800, row: 34 });
  const measure = () => {
    const element = list.current as HTMLDivElement;
    const row = Number.parseFloat(getComputedStyle(element).lineHeight);
    setView({ top: element.scrollTop, height: element.clientHeight, row });
    if (element.scrollTop + 2 * element.clientHeight > element.scrollHeight) props.onEnd();
  };
  useLayoutEffect(() => {
    const watcher = new ResizeObserver(measure);
    watcher.observe(list.current as HTMLDivElement);
    return () => watcher.disconnect();
  }, []);
  const current = records.findIndex((record) => idOf(record) === chosen);
  useEffect(() => {
    if (!moved.current) return;
    moved.current = false;
    const element = list.current as HTMLDivElement;
    bringIntoView(element, current, view.row);
    element.focus();
  }, [chosen]);
  const pressed = (event: KeyboardEvent) => {
    const ends: Record<string, number> = { Home: 0, End: records.length - 1 };
    const wanted = ends[event.key] ?? (event.key in steps ? current + (steps[event.key] ?? 0) : undefined);
    if (wanted === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const record = records[Math.min(records.length - 1, Math.max(0, wanted))];
    if (!record) return;
    event.preventDefault();
    moved.current = idOf(record) !== chosen;
    if (moved.current) onChoose(idOf(record));
  };
  const first = Math.max(0, Math.floor(view.top / view.row) - spare);
  const shown = records.slice(first, Math.ceil((view.top + view.height) / view.row) + spare);
  const below = records.length - first - shown.length;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys go through the rows of its table
    <div
      class="list"
      ref={list}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
      tabIndex={0}
      onScroll={measure}
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
          <Gap rows={first} height={view.row} />
          {shown.map((record, index) => {
            const id = idOf(record);
            return (
              <tr
                key={id}
                class={id === chosen ? 'chosen' : ''}
                aria-rowindex={first + index + 2}
                aria-selected={id === chosen}
                onClick={() => onChoose(id)}
              >
                {columns.map((column, place) => (
                  <td key={column.title} class={classOf(column)}>
                    {place > 0 ? (
                      column.draw(record)
                    ) : (
                      <button type="button" class="link" tabIndex={-1} aria-expanded={id === chosen}>
                        {column.draw(record)}
                      </button>
                    )}
                  </td>
                ))}
              </tr>
            );
          })}
          <Gap rows={below} height={view.row} />
        </tbody>
      </table>
    </div>
  );
}

function classOf({ number, minor }: Pick<Column<never>, 'number' | 'minor'>): string {
  return [number && 'number', minor && 'minor'].filter(Boolean).join(' ');
}

/** The room of rows that are not in view. */
function Gap({ rows, height }: { rows: number; height: number }) {
  return rows > 0 ? <tr class="gap" style={{ height: `${rows * height}px` }} /> : null;
}

/** Below the heading, which stays where it is. */
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
