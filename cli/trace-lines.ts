import { isoTime } from '../shared/clock.ts';
import type { JournalEntry } from '../shared/journal.ts';
import { asRecord } from '../shared/journal-fields.ts';
import { makeJournalLine } from '../terminal-emulator/index.ts';
import { makeMaskedPrintableLine } from './quoted-lines.ts';

/**
 * Returns a line for each entry of the journal: its number, time, terminal and text, and the keys and identifiers by
 * which users can search for the entry.
 */
export function traceLines(entries: readonly JournalEntry[]): string[] {
  return entries.map((entry) => {
    const { text, terminal } = makeJournalLine(entry);
    const names = Object.entries(namesIn(entry)).filter(([, value]) => typeof value === 'string');
    const found = names.map(([name, value]) => ` ${name}=${JSON.stringify(value)}`).join('');
    return makeMaskedPrintableLine(
      `#${entry.seq} ${isoTime(entry.at)} ${terminal ? `${terminal} ` : ''}${text}${found}`,
    );
  });
}

/** Returns an entry's keys and identifiers in full, because the text of the line shortens them. */
function namesIn(entry: JournalEntry): Record<string, unknown> {
  const { kind, payment } = entry;
  if (kind !== 'http.received') return { payment };
  const { headers = {}, body } = entry.data as JournalEntry<'http.received'>['data'];
  const { saleData, idempotencyKey } = asRecord(body);
  return {
    key: headers['idempotency-key'] ?? idempotencyKey,
    reference: asRecord(saleData).saleReferenceId,
    payment,
  };
}
