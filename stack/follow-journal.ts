import { createParser } from 'eventsource-parser';
import type { JournalEntry } from '../shared/journal.ts';

/** Calls `onEntry` with every entry of a gateway's live journal until `signal` aborts. */
export async function followJournal(
  gateway: { url: string; controlToken: string; signal: AbortSignal },
  onEntry: (entry: JournalEntry) => void,
): Promise<void> {
  const response = await fetch(new URL('/control/journal/stream', gateway.url), {
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
