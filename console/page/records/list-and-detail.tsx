import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { memoizeByObject } from '../../../shared/memoize-recent.ts';
import { RecordList, type RecordListProps } from './record-list.tsx';

interface ListProps<Each> extends RecordListProps<Each> {
  /** Examples of texts for which a user can search. */
  readonly findable: string;
  /** A checkbox that makes the list show only some records. */
  readonly only?: { readonly title: string; readonly keeps: (record: Each) => boolean };
  /** The word for one record of the list, such as "sale". */
  readonly noun: string;
  readonly detail: (id: string) => ComponentChildren;
}

/** A list of records in which the user can search, with the chosen record beside it. */
export function ListAndDetail<Each extends object>(props: ListProps<Each>) {
  const { records, findable, only, chosen, onChoose, noun, detail } = props;
  const [find, setFind] = useState('');
  const [isOnly, setOnly] = useState(false);
  const found = useMemo(() => {
    const words = find.toLowerCase().split(/\s+/).filter(Boolean);
    const kept = only && isOnly ? records.filter(only.keeps) : records;
    return kept.filter((record) => words.every((word) => textOf(record).includes(word)));
  }, [records, find, isOnly]);
  return (
    <div class={`list-and-detail ${chosen === undefined ? '' : 'opened'}`}>
      <div class="found">
        <label class="find">
          <span>Find</span>
          <input
            type="search"
            value={find}
            placeholder={findable}
            onInput={({ currentTarget }) => setFind(currentTarget.value)}
          />
          <span class="count">
            {found.length === records.length ? records.length : `${found.length} of ${records.length}`}
          </span>
        </label>
        {only && (
          <label class="only">
            <input type="checkbox" checked={isOnly} onChange={() => setOnly(!isOnly)} /> {only.title}
          </label>
        )}
        <RecordList {...props} records={found} />
      </div>
      {chosen !== undefined && (
        <aside class="side" aria-label={`The chosen ${noun}`}>
          <button type="button" class="close" onClick={() => onChoose(chosen)}>
            Back to the list
          </button>
          {detail(chosen)}
        </aside>
      )}
    </div>
  );
}

const textOf = memoizeByObject((record: object) => JSON.stringify(Object.values(record)).toLowerCase());
