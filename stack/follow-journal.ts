import { createParser } from 'eventsource-parser';
import type { JournalEntry } from '../shared/journal.ts';

/** A gateway's control API. */
export interface ControlledGateway {
  readonly url: string;
  readonly controlToken: string;
}

/** Calls `onEntry` with every entry of a gateway's live journal until `signal` aborts; with `since` those after it too. */
export async function followJournal(
  gateway: ControlledGateway & { signal: AbortSignal; since?: number },
  onEntry: (entry: JournalEntry) => void,
): Promise<void> {
  const since = gateway.since === undefined ? '' : `?since=${gateway.since}`;
  const response = await fetch(new URL(`/control/journal/stream${since}`, gateway.url), {
    headers: { authorization: `Bearer ${gateway.controlToken}`, accept: 'text/event-stream' },
    signal: gateway.signal,
  });
  if (!response.ok || !response.body) throw new Error(`the journal answered ${response.status}`);
  const parser = createParser({ onEvent: (event) => onEntry(JSON.parse(event.data) as JournalEntry) });
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body) parser.feed(decoder.decode(chunk, { stream: true }));
  } catch (error) {
    if (!gateway.signal.aborted) throw error;
  }
}

/** What a gateway's journal holds, oldest first. */
export async function readJournal({ url, controlToken }: ControlledGateway): Promise<JournalEntry[]> {
  const response = await fetch(new URL('/control/journal?since=0&limit=10000', url), {
    headers: { authorization: `Bearer ${controlToken}` },
  });
  if (!response.ok) throw new Error(`the journal answered ${response.status}`);
  return ((await response.json()) as { entries: JournalEntry[] }).entries;
}

/** The time on a gateway's clock, epoch milliseconds. */
export async function readClock({ url, controlToken }: ControlledGateway): Promise<number> {
  const response = await fetch(new URL('/control/clock', url), {
    headers: { authorization: `Bearer ${controlToken}` },
  });
  if (!response.ok) throw new Error(`the clock answered ${response.status}`);
  return Date.parse(((await response.json()) as { now: string }).now);
}
