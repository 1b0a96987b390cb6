import type { ComponentChildren } from 'preact';
import { VirtualList } from '../virtual-list.tsx';

/** A column of a list of records. */
export interface Column<Each> {
  readonly title: string;
  readonly draw: (record: Each) => ComponentChildren;
  /** Whether the column has numbers, which are aligned to the right. */
  readonly number?: boolean;
  /** Whether the column is hidden if there is little room. */
  readonly minor?: boolean;
}

export interface RecordListProps<Each> {
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

/**
 * Shows records as a table. The page contains only the rows in view. A click opens a row, and the arrow keys open the
 * next or the previous row.
 */
export function RecordList<Each>(props: RecordListProps<Each>) {
  const { records, columns, idOf, chosen, onChoose } = props;
  const current = chosen === undefined ? -1 : records.findIndex((record) => idOf(record) === chosen);
  const pressed = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = records[placeAfter(event.key, current, records.length) ?? -1];
    if (next === undefined) return;
    event.preventDefault();
    if (idOf(next) === chosen) return;
    // The focus moves to the table, because the focused button may be removed from the page together with its row.
    (event.currentTarget as HTMLElement).focus();
    onChoose(idOf(next));
  };
  return (
    <VirtualList
      rows={records}
      current={current}
      currentId={chosen}
      onEnd={props.onEnd}
      box={{ onKeyDown: pressed }}
      draw={(shown, first) => (
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
            {shown.map((record, nth) => (
              <RecordRow
                key={idOf(record)}
                record={record}
                columns={columns}
                place={first + nth}
                isChosen={first + nth === current}
                onChoose={() => onChoose(idOf(record))}
              />
            ))}
          </tbody>
        </table>
      )}
    />
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
    <tr class={isChosen ? 'now' : ''} aria-rowindex={place + 2} aria-selected={isChosen} onClick={onChoose}>
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

/**
 * Returns the index of the row that is selected after a key is pressed; undefined if the key does not move the
 * selection.
 */
function placeAfter(key: string, from: number, count: number): number | undefined {
  const ends: Record<string, number> = { Home: 0, End: count - 1 };
  const by = steps[key];
  const wanted = ends[key] ?? (by === undefined ? undefined : from + by);
  return wanted === undefined ? undefined : Math.min(count - 1, Math.max(0, wanted));
}

function classOf({ number, minor }: Pick<Column<never>, 'number' | 'minor'>): string {
  return [number && 'number', minor && 'minor'].filter(Boolean).join(' ');
}

/** Returns the end of a UUID, which is enough to tell UUIDs apart. Returns any other identifier as it is. */
export function shortId(id: string): string {
  return /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(id) ? `…${id.slice(-6)}` : id;
}
