import type { JournalEntry } from '../shared/journal.ts';
import { type ControlledGateway, controlOf } from './call-control.ts';

/**
 * Calls `onEntry` with every entry of a gateway's live journal until `signal` aborts; with `since` those after it too, and
 * only those of the kinds in `kind`, separated by commas, where it is given.
 */
export async function followJournal(
  gateway: ControlledGateway & { signal: AbortSignal; since?: number; kind?: string },
  onEntry: (entry: JournalEntry) => void,
  onOpen: () => void = () => {},
): Promise<void> {
  const { signal, since, kind } = gateway;
  const request = { params: { query: { since, kind } }, signal };
  const entries = await controlOf(gateway).stream('/control/journal/stream', request);
  onOpen();
  for await (const entry of entries) onEntry(entry as JournalEntry);
}

/** What a gateway's journal holds, oldest first; after `since` where it is given. */
export async function readJournal(gateway: ControlledGateway, since = 0): Promise<JournalEntry[]> {
  const params = { query: { since, limit: 10_000 } };
  const { entries } = await controlOf(gateway).GET('/control/journal', { params });
  return entries as JournalEntry[];
}

/** The number of a gateway's latest journal entry. */
export async function latestSeq(gateway: ControlledGateway): Promise<number> {
  return (await controlOf(gateway).GET('/control/journal', { params: { query: { limit: 1 } } })).last;
}
