import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { ConsoleStore } from '../console-store.ts';
import { type Column, RecordList } from './record-list.tsx';
import { useRecords } from './use-records.ts';

interface RecordsProps<Each> {
  readonly store: ConsoleStore;
  readonly id: string | undefined;
  readonly onChoose: (id: string) => void;
  readonly label: string;
  readonly path: string;
  readonly kinds: RegExp;
  readonly columns: readonly Column<Each>[];
  readonly idOf: (record: Each) => string;
  /** The text to show if there are no records. */
  readonly none: ComponentChildren;
  readonly detail: (id: string, record: Each | undefined, again: () => void) => ComponentChildren;
}

/** A list of records, with the chosen one beside it. */
export function Records<Each extends object>(props: RecordsProps<Each>) {
  const { store, id, onChoose, label, path, kinds, columns, idOf, none, detail } = props;
  const { records, failed, again, older } = useRecords(store, path, kinds, idOf);
  const [find, setFind] = useState('');
  const found = useMemo(() => foundRecords(records ?? [], find), [records, find]);
  if (!records) return <p class={failed ? 'problem nothing' : 'none nothing'}>{failed ?? 'Reading …'}</p>;
  if (records.length === 0 && id === undefined) return <p class="none nothing">{none}</p>;
  return (
    <div class={`list-and-detail ${id === undefined ? '' : 'opened'}`}>
      <div class="found">
        <label class="find">
          <span>Find</span>
          <input
            type="search"
            value={find}
            placeholder="amount, reference, state …"
            onInput={({ currentTarget }) => setFind(currentTarget.value)}
          />
          <span class="count">{countText(found.length, records.length)}</span>
        </label>
        <RecordList
          label={label}
          records={found}
          columns={columns}
          idOf={idOf}
          chosen={id}
          onChoose={onChoose}
          onEnd={older}
        />
      </div>
      {id !== undefined && (
        <aside class="side" aria-label="The chosen record">
          <button type="button" class="close" onClick={() => onChoose(id)}>
            Back to the list
          </button>
          {detail(
            id,
            records.find((record) => idOf(record) === id),
            again,
          )}
        </aside>
      )}
    </div>
  );
}

const texts = new WeakMap<object, string>();

function foundRecords<Each extends object>(records: readonly Each[], find: string): readonly Each[] {
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return records;
  return records.filter((record) => {
    let text = texts.get(record);
    if (text === undefined) {
      text = JSON.stringify(Object.values(record)).toLowerCase();
      texts.set(record, text);
    }
    return words.every((word) => text.includes(word));
  });
}

function countText(found: number, all: number): string {
  return found === all ? String(all) : `${found} of ${all}`;
}
