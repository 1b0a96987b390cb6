import { createParser } from 'eventsource-parser';
import type { JournalEntry } from '../shared/journal.ts';
import { type ControlledGateway, callControl } from './call-control.ts';

/** Calls `onEntry` with every entry of a gateway's live journal until `signal` aborts; with `since` those after it too. */
export async function followJournal(
  gateway: ControlledGateway & { signal: AbortSignal; since?: number },
  onEntry: (entry: JournalEntry) => void,
): Promise<void> {
  const since = gateway.since === undefined ? '' : `?since=${gateway.since}`;
  await followStream(gateway, `/journal/stream${since}`, (data) => onEntry(data as JournalEntry));
}

/** Calls `onData` with what a stream of the control API sends until `signal` aborts; `onOpen` once it is open. */
export async function followStream(
  gateway: ControlledGateway & { signal: AbortSignal },
  path: string,
  onData: (data: unknown) => void,
  onOpen: () => void = () => {},
): Promise<void> {
  const response = await fetch(new URL(`/control${path}`, gateway.url), {
    headers: { authorization: `Bearer ${gateway.controlToken}`, accept: 'text/event-stream' },
    signal: gateway.signal,
  });
  if (!response.ok || !response.body) throw new Error(`/control${path} answered ${response.status}`);
  onOpen();
  const parser = createParser({ onEvent: (event) => onData(JSON.parse(event.data)) });
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body) parser.feed(decoder.decode(chunk, { stream: true }));
  } catch (error) {
    if (!gateway.signal.aborted) throw error;
  }
}

/** What a gateway's journal holds, oldest first. */
export async function readJournal(gateway: ControlledGateway): Promise<JournalEntry[]> {
  const { entries } = await callControl<{ entries: JournalEntry[] }>(
    gateway,
    'GET',
    '/journal?since=0&limit=10000',
  );
  return entries;
}
