import type { ComponentChildren } from 'preact';
import { ListAndDetail } from './list-and-detail.tsx';
import type { Column } from './record-list.tsx';
import { useRecords } from './use-records.ts';

interface RecordsProps<Each> {
  readonly id: string | undefined;
  readonly onChoose: (id: string) => void;
  readonly label: string;
  readonly path: string;
  /** Matches the kinds of journal entries that may mean a change of the list. */
  readonly journalKinds: RegExp;
  readonly columns: readonly Column<Each>[];
  readonly idOf: (record: Each) => string;
  /** The text to show if there are no records. */
  readonly none: ComponentChildren;
  readonly detail: (id: string, record: Each | undefined, again: () => void) => ComponentChildren;
}

/** A list of records, with the chosen record beside the list. */
export function RecordsView<Each extends object>(props: RecordsProps<Each>) {
  const { id, onChoose, label, path, journalKinds, columns, idOf, none, detail } = props;
  const { records, failed, again, older } = useRecords(path, journalKinds, idOf);
  if (!records) return <p class={failed ? 'problem nothing' : 'none nothing'}>{failed ?? 'Reading …'}</p>;
  if (records.length === 0 && id === undefined) return <p class="none nothing">{none}</p>;
  return (
    <ListAndDetail
      label={label}
      records={records}
      columns={columns}
      idOf={idOf}
      findable="amount, reference, state …"
      chosen={id}
      onChoose={onChoose}
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
