import { render } from 'preact';
import type { JournalEntry } from '../../../shared/journal.ts';
import { TrafficLog } from '../traffic/traffic-log.ts';
import type { TraceData } from './trace-data.ts';
import { TraceView } from './trace-view.tsx';

/** Draws a trace whose data stand in the page; that of a running gateway receives what happens. */
export function openTrace(json: string, place: HTMLElement): void {
  const data = JSON.parse(json) as TraceData;
  const log = new TrafficLog();
  log.steps = data.steps ?? [];
  log.add(data.entries);
  if (data.live) follow(data.live.entries, log);
  render(<TraceView data={data} log={log} />, place);
}

function follow(url: string, log: TrafficLog): void {
  const source = new EventSource(url);
  source.addEventListener('entries', ({ data }) => log.add(JSON.parse(data) as JournalEntry[]));
}
