import type { JournalEntry, JournalReader } from '../../shared/journal.ts';
import { maskCardNumbers } from '../../shared/masking/card-numbers.ts';
import type { ExplainedRow } from './explained-rows.ts';

type Journal = Pick<JournalReader, 'since'>;

/**
 * Finds what a person who runs the gateway should know about a payment: unknown fields of its request, power cuts of
 * its terminal, and warnings of the journal. `poiId` is the poi_id of the payment's terminal.
 */
export function findPaymentWarnings(journal: Journal, row: ExplainedRow, poiId: string | null): string[] {
  const unknownFields: string[] = row.unknown_fields === null ? [] : JSON.parse(row.unknown_fields);
  const late = journal
    .since()
    .filter(
      ({ payment, kind }) => payment === row.id && (kind === 'payment.lateResult' || kind === 'warning'),
    );
  return [
    ...unknownFields.map((path) => `the unknown field ${maskCardNumbers(path)} was ignored`),
    ...findPowerCuts(journal, row, poiId),
    ...late.map(textOf),
  ];
}

function textOf({ data }: JournalEntry): string {
  if ('why' in data) return data.why;
  return 'message' in data ? data.message : '';
}

/** Returns a text for each power cut of the terminal during the payment. Only the journal's entries are searched. */
function findPowerCuts(journal: Journal, row: ExplainedRow, poiId: string | null): string[] {
  const until = row.concluded_at ?? Number.POSITIVE_INFINITY;
  return entriesWhileOpen(journal, row).flatMap(({ kind, terminal, at, data }) => {
    const concerned = kind === 'terminal.power' && terminal === poiId && !data.on;
    if (!concerned || at < row.accepted_at || at > until) return [];
    return [
      data.at === undefined ? 'the terminal lost its power' : `the terminal lost its power at ${data.at}`,
    ];
  });
}

/**
 * Gives the journal entries from the payment's beginning to its end. The entries are chosen by their order in the
 * journal and not by their times, because virtual time may have stood still.
 */
function entriesWhileOpen(journal: Journal, { id }: ExplainedRow): readonly JournalEntry[] {
  const entries = journal.since();
  const began = entries.findIndex(({ payment, kind }) => payment === id && kind === 'payment.accepted');
  const ended = entries.findIndex(({ payment, kind }) => payment === id && kind === 'payment.concluded');
  return entries.slice(Math.max(began, 0), ended < 0 ? undefined : ended);
}
