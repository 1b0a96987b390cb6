import type { ComponentChildren } from 'preact';
import type { JournalEntry } from '../../../shared/journal.ts';
import { CopyButton } from '../copy-button.tsx';
import { curlOf } from './curl.ts';
import { timeOfDay, viewOf, wayText, whyOf } from './entry-view.ts';
import { Glass } from './glass.tsx';
import { JsonView } from './json-view.tsx';
import { scenarioStepOf } from './scenario-step.ts';
import { requestOf, type TrafficLog } from './traffic-log.ts';

interface DetailProps {
  readonly log: TrafficLog;
  readonly entry: JournalEntry;
  /** Shows all of one payment. */
  readonly onPayment: (payment: string) => void;
}

/** All of an entry; of a request also its answer, and the other way round. */
export function EntryDetail({ log, entry, onPayment }: DetailProps) {
  const request = requestOf(entry);
  const related = request === undefined ? [entry] : exchangeOf(log, request);
  const payment = log.paymentOf(entry);
  const step = scenarioStepOf(entry);
  const received = related.find((each) => each.kind === 'http.received');
  return (
    <section class="detail" aria-label="The selected entry">
      <h2>{viewOf(entry).label}</h2>
      <p class="facts">
        #{entry.seq} · {timeOfDay(entry.at)} · {wayText(viewOf(entry))} · {entry.kind}
        {entry.terminal && ` · ${entry.terminal}`}
      </p>
      {payment && (
        <p class="facts">
          Payment{' '}
          <button type="button" class="link" onClick={() => onPayment(payment)}>
            {payment}
          </button>
        </p>
      )}
      {whyOf(entry) && <p class="why">{whyOf(entry)}</p>}
      <div class="buttons">
        {received && <CopyButton text={() => curlOf(received)}>Copy as curl</CopyButton>}
        {step && <CopyButton text={() => step}>Copy as scenario step</CopyButton>}
        <CopyButton text={() => JSON.stringify(entry, null, 2)}>Copy JSON</CopyButton>
      </div>
      {related.map((each) => (
        <EntryBody key={each.seq} entry={each} />
      ))}
    </section>
  );
}

function exchangeOf(log: TrafficLog, request: string): JournalEntry[] {
  return log.entries.filter((entry) => entry.kind.startsWith('http.') && requestOf(entry) === request);
}

function EntryBody({ entry }: { entry: JournalEntry }) {
  if (entry.kind === 'http.received' || entry.kind === 'http.answered') return <Exchange entry={entry} />;
  if (entry.kind === 'terminal.screen') return <Glass entry={entry} />;
  return <JsonView value={entry.data} />;
}

function Exchange({ entry }: { entry: JournalEntry<'http.received' | 'http.answered'> }) {
  const { headers = {}, body } = entry.data;
  const title: ComponentChildren =
    entry.kind === 'http.received'
      ? `${entry.data.method} ${entry.data.path}`
      : `${entry.data.status} after ${entry.data.durationMs / 1000} s`;
  return (
    <div class="exchange">
      <h3>
        <span class="tag">{entry.kind === 'http.received' ? 'Request' : 'Answer'}</span> {title}
      </h3>
      {Object.keys(headers).length > 0 && (
        <dl class="headers">
          {Object.entries(headers).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {body === undefined ? <p class="none">No body.</p> : <JsonView value={body} />}
    </div>
  );
}
