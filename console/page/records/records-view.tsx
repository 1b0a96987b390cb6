import type { ComponentChildren } from 'preact';
import { ListAndDetail } from './list-and-detail.tsx';
import type { Column } from './record-list.tsx';
import { useRecords } from './use-records.ts';

export interface RecordListDefinition<Each> {
  readonly path: string;
  /** Matches the kinds of journal entries that may mean a change of the list. */
  readonly journalKinds: RegExp;
  readonly columns: readonly Column<Each>[];
  readonly idOf: (record: Each) => string;
  /** The text to show if there are no records. */
  readonly none: ComponentChildren;
  readonly detail: (id: string, record: Each | undefined, again: () => void) => ComponentChildren;
}

/** The id of the chosen record, which is part of the page's address, and the function that changes the choice. */
export interface RecordChoiceProps {
  readonly id: string | undefined;
  readonly onChoose: (id: string) => void;
  readonly label: string;
}

/** A list of records, with the chosen record beside the list. */
export function RecordsView<Each extends object>(props: RecordListDefinition<Each> & RecordChoiceProps) {
  const { id, path, journalKinds, idOf, none, detail } = props;
  const { records, failed, again, older } = useRecords(path, journalKinds, idOf);
  if (!records) return <p class={failed ? 'problem nothing' : 'none nothing'}>{failed ?? 'Reading …'}</p>;
  if (records.length === 0 && id === undefined) return <p class="none nothing">{none}</p>;
  return (
    <ListAndDetail
      {...props}
      records={records}
      findable="amount, reference, state …"
      chosen={id}
      onEnd={older}
      noun="record"
      detail={(chosen) =>
        detail(
          chosen,
          records.find((record) => idOf(record) === chosen),
          again,
        )
      }
    />
  );
}
