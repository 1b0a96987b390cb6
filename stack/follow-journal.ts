import type { JournalEntry } from '../shared/journal.ts';
import type { JournalPlace } from '../shared/journal-cursor.ts';
import { type ControlledGateway, controlClientOf } from './call-control.ts';

/** The maximum number of entries that a gateway returns at once. */
const mostAtOnce = 10_000;

/** Receives an entry, and the place in the journal after this entry. A reader can continue at this place. */
type TakesEntry = (entry: JournalEntry, place: JournalPlace) => void;

/**
 * Calls `onEntry` with every new entry of a gateway's journal until `signal` aborts. With `since`, first calls
 * `onEntry` with the earlier entries after that place. `kind` lists the kinds of the wanted entries, separated by
 * commas.
 */
export async function followJournal(
  gateway: ControlledGateway & { signal: AbortSignal; since?: JournalPlace; kind?: string },
  onEntry: TakesEntry,
  onOpen: () => void = () => {},
): Promise<void> {
  const { signal, since, kind } = gateway;
  const request = { params: { query: { since, kind } }, signal };
  const entries = await controlClientOf(gateway).stream('/control/journal/stream', request);
  onOpen();
  for await (const entry of entries) onEntry(entry as JournalEntry, entries.last ?? entry.seq);
}

/** Reads all entries in a gateway's journal, oldest first. */
export async function readJournal(gateway: ControlledGateway): Promise<JournalEntry[]> {
  return (await readJournalSince(gateway, 0)).entries;
}

/**
 * Reads some entries after `since`, oldest first. Also returns the place in the journal after these entries. A reader
 * can continue at this place.
 */
async function readOn(
  gateway: ControlledGateway,
  since: JournalPlace,
): Promise<{ entries: JournalEntry[]; place: JournalPlace }> {
  const params = { query: { since, limit: mostAtOnce } };
  const { entries, last } = await controlClientOf(gateway).GET('/control/journal', { params });
  const latest = entries.at(-1)?.seq;
  // A gateway of an older release returns the end of its journal as `last`, however many entries it returned.
  const isFull = entries.length === mostAtOnce && typeof last === 'number';
  return { entries: entries as JournalEntry[], place: isFull ? (latest ?? last) : last };
}

/** Reads all entries after `since`. */
export async function readJournalSince(
  gateway: ControlledGateway,
  since: JournalPlace,
): Promise<{ entries: JournalEntry[]; place: JournalPlace }> {
  const all: JournalEntry[] = [];
  let at = since;
  for (let isFull = true; isFull; ) {
    const { entries, place } = await readOn(gateway, at);
    for (const entry of entries) all.push(entry);
    isFull = entries.length === mostAtOnce;
    at = place;
  }
  return { entries: all, place: at };
}

/** Reads the place at the end of a gateway's journal. */
export async function readLatestPlace(gateway: ControlledGateway): Promise<JournalPlace> {
  return (await controlClientOf(gateway).GET('/control/journal', { params: { query: { limit: 1 } } })).last;
}

/**
 * Returns the place at which a reader continues after a lost connection. If `place` is a position in the journal of
 * several gateways, returns `place`, because any of these gateways can continue there. If `place` is a number, returns
 * 0, the beginning of the journal: the connection may have been lost because the gateway restarted, and a restarted
 * gateway does not understand the number.
 */
export function resumePlaceFor(place: JournalPlace): JournalPlace {
  return /^\d+$/.test(`${place}`) ? 0 : place;
}

/**
 * Returns a function that gives each entry a higher number than the previous entry. Without this, the numbers of
 * entries from several gateways could be equal.
 */
export function createEntryNumberer(): (entry: JournalEntry) => JournalEntry {
  let last = 0;
  return (entry) => {
    last = Math.max(last + 1, entry.seq);
    return entry.seq === last ? entry : { ...entry, seq: last };
  };
}
