import type { JournalEntry } from '../../../shared/journal.ts';
import { CopyButton } from '../copy-button.tsx';
import { curlOf } from './curl.ts';
import { placeEntryInLanes, senderAndReceiverText, timeOfDayText, whyOf } from './entry-view.ts';
import { JsonView } from './json-view.tsx';
import { ScreenPicture } from './screen-picture.tsx';
import { entryRequestId, type TrafficLog } from './traffic-log.ts';

/** Returns the step of a scenario that repeats an entry, if there is one (docs/recording.md). */
export type StepLookup = (seq: number) => string | undefined | Promise<string | undefined>;

interface DetailProps {
  readonly log: TrafficLog;
  readonly entry: JournalEntry;
  readonly stepOf: StepLookup | undefined;
  /** Shows all entries of a payment. */
  readonly onPayment: (payment: string) => void;
}

/**
 * Shows an entry in full. If the entry belongs to a request, also shows the request and its answer, as far as the log
 * still has them.
 */
export function EntryDetail({ log, entry, stepOf, onPayment }: DetailProps) {
  const exchange = exchangeOf(log, entryRequestId(entry));
  const related = exchange.includes(entry) ? exchange : [entry, ...exchange];
  const payment = log.paymentOf(entry);
  const copyStep = async () => {
    const step = await stepOf?.(entry.seq);
    if (step === undefined) throw new Error('No step does this');
    return step;
  };
  const received = related.find((each) => each.kind === 'http.received');
  return (
    <section class="detail" aria-label="The selected entry">
      <h2>{placeEntryInLanes(entry).label}</h2>
      <p class="facts">
        #{entry.seq} · {timeOfDayText(entry.at)} · {senderAndReceiverText(placeEntryInLanes(entry))} ·{' '}
        {entry.kind}
        {entry.terminal && ` · ${entry.terminal}`}
        {entry.gateway && ` · at ${entry.gateway}`}
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
        {stepOf && isAct(entry) && <CopyButton text={copyStep}>Copy as scenario step</CopyButton>}
        <CopyButton text={() => JSON.stringify(entry, null, 2)}>Copy JSON</CopyButton>
      </div>
      {related.map((each) => (
        <EntryBody key={each.seq} entry={each} />
      ))}
    </section>
  );
}

/** Whether an entry is an action or the answer to an action. All other entries result from these. */
function isAct({ kind, data }: JournalEntry): boolean {
  if (kind === 'terminal.key') return !('key' in data && data.key === 'digit');
  return /^(http\.(received|answered|hungUp)|terminal\.(card|power|network)|clock\.advanced)$/.test(kind);
}

function exchangeOf(log: TrafficLog, request: string | undefined): JournalEntry[] {
  if (request === undefined) return [];
  return log.entries.filter((entry) => entry.kind.startsWith('http.') && entryRequestId(entry) === request);
}

function EntryBody({ entry }: { entry: JournalEntry }) {
  if (entry.kind === 'http.received' || entry.kind === 'http.answered') return <Exchange entry={entry} />;
  if (entry.kind === 'webhook.attempted') return <Delivery entry={entry} />;
  if (entry.kind === 'terminal.screen') return <ScreenPicture entry={entry} />;
  return <JsonView value={entry.data} />;
}

function Exchange({ entry }: { entry: JournalEntry<'http.received' | 'http.answered'> }) {
  const { headers, body } = entry.data;
  if (entry.kind === 'http.received')
    return (
      <Message
        tag="Request"
        title={`${entry.data.method} ${entry.data.path}`}
        headers={headers}
        body={body}
      />
    );
  const { status, durationMs } = entry.data;
  return (
    <Message tag="Answer" title={`${status} after ${durationMs / 1000} s`} headers={headers} body={body} />
  );
}

/** Shows an attempt to deliver an event, with the receiver's answer. */
function Delivery({ entry }: { entry: JournalEntry<'webhook.attempted'> }) {
  const { webhook, type, attempt, headers, body, status, error, answer } = entry.data;
  return (
    <>
      <Message
        tag="Request"
        title={`${type} to ${webhook}, attempt ${attempt}`}
        headers={headers}
        body={body}
      />
      <Message tag="Answer" title={error ?? String(status)} headers={undefined} body={answer} />
    </>
  );
}

interface MessageProps {
  readonly tag: string;
  readonly title: string;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly body: unknown;
}

function Message({ tag, title, headers = {}, body }: MessageProps) {
  return (
    <div class="exchange">
      <h3>
        <span class="tag">{tag}</span> {title}
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
