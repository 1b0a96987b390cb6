import { render } from 'preact';
import type { JournalEntry } from '../../../shared/journal.ts';
import { TrafficLog } from '../traffic/traffic-log.ts';
import type { TraceData, TracedSale } from './trace-data.ts';
import { TraceView } from './trace-view.tsx';
import { TracedSalesList } from './traced-sales-list.ts';

/** Draws a trace from the data in the page. The trace of a running gateway receives further entries. */
export function renderTrace(json: string, place: HTMLElement): void {
  const data = JSON.parse(json) as TraceData;
  const log = new TrafficLog();
  log.steps = data.steps ?? [];
  log.add(data.entries);
  const sales = new TracedSalesList();
  sales.put(data.sales);
  if (data.live) follow(data.live.entries, log, sales);
  render(<TraceView data={data} log={log} sales={sales} />, place);
}

function follow(url: string, log: TrafficLog, sales: TracedSalesList): void {
  const source = new EventSource(url);
  source.addEventListener('entries', ({ data }) => log.add(JSON.parse(data) as JournalEntry[]));
  source.addEventListener('sales', ({ data }) => sales.put(JSON.parse(data) as TracedSale[]));
}
