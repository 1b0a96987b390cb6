import type { JournalDataByKind, JournalEntry } from '../../shared/journal.ts';
import { formatClockTime, type JournalLine } from './journal-lines.ts';
import { makeJsonSheetLines } from './json-lines.ts';
import { failureReasonOf, paymentMoneyText } from './payment-text.ts';
import { paymentIdOfEntry } from './payments.ts';
import { emptyLine, fieldLines, makeSheetLine, type Sheet, type SheetLine, styleText } from './sheet.ts';
import type { TuiState } from './state.ts';
import { terminalNameOf } from './terminal-name.ts';
import { theme } from './theme.ts';

/**
 * Makes the page for one line of the journal. For a request, the page shows the request and its answer. For a message,
 * it shows the message. For a decision of the host, it shows the rule that decided, and the reason.
 */
export function makeJournalEntrySheet(state: TuiState, { entry, text }: JournalLine): Sheet {
  return {
    title: `${formatClockTime(entry.at)}  ${text}`,
    lines: [...contentOf(state, entry), emptyLine, ...aboutOf(state, entry)],
  };
}

function contentOf(state: TuiState, entry: JournalEntry): SheetLine[] {
  if (entry.kind.startsWith('http.') || entry.kind === 'fault.injected') return exchangeOf(state, entry);
  switch (entry.kind) {
    case 'message.sent':
    case 'message.received':
      return messageOf(entry.data, entry.kind === 'message.sent');
    case 'ledger.authorized':
    case 'ledger.declined':
      return [...ruleLines(entry.data.rule), emptyLine, ...makeJsonSheetLines(entry.data)];
    case 'payment.concluded':
      return concludedOf(state, entry);
    default:
      return makeJsonSheetLines(entry.data);
  }
}

/**
 * Returns the lines about one request and about everything that the request caused, in the order in which it
 * happened.
 */
function exchangeOf({ journal }: TuiState, entry: JournalEntry): SheetLine[] {
  const requestId = requestIdOf(entry);
  const all = journal.filter((line) => line.entry === entry || requestIdOf(line.entry) === requestId);
  return all.flatMap((line, index) => [...(index > 0 ? [emptyLine] : []), ...httpLines(line.entry)]);
}

function requestIdOf({ kind, data }: JournalEntry): string | undefined {
  return (kind.startsWith('http.') || kind === 'fault.injected') && 'requestId' in data
    ? data.requestId
    : undefined;
}

function httpLines(entry: JournalEntry): SheetLine[] {
  switch (entry.kind) {
    case 'http.received': {
      const { method, path, headers = {}, body, requestId } = entry.data;
      const top = makeSheetLine(styleText(`${method} ${path}`, theme.strong));
      return [top, ...headerLines({ ...headers, 'request-id': requestId }), ...bodyLines(body)];
    }
    case 'http.answered': {
      const { status, durationMs, headers = {}, body } = entry.data;
      const style = status >= 400 ? theme.error : theme.success;
      const top = makeSheetLine(
        styleText(`${status}`, style),
        styleText(` after ${durationMs / 1_000} s`, theme.faint),
      );
      return [top, ...headerLines(headers), ...bodyLines(body)];
    }
    case 'http.hungUp':
      return [makeSheetLine(styleText('The client hung up before it got an answer', theme.warning))];
    case 'fault.injected': {
      const { fault, status, delayMs, body } = entry.data;
      const late = delayMs === undefined ? '' : ` by ${delayMs} ms`;
      const top = makeSheetLine(styleText(`This fault was set by a test: ${fault}${late}`, theme.warning));
      const lost = status === undefined ? [] : fieldLines('would have been answered', status);
      return [top, ...lost, ...(fault === 'delayAnswer' ? [] : bodyLines(body))];
    }
    default:
      return [];
  }
}

function headerLines(headers: Record<string, string>): SheetLine[] {
  return Object.entries(headers).flatMap(([name, value]) => fieldLines(name, value));
}

function bodyLines(body: unknown): SheetLine[] {
  if (body === undefined) return [];
  return [emptyLine, ...makeJsonSheetLines(body)];
}

function messageOf(
  { link, message, serviceId, body }: JournalDataByKind['message.sent'],
  sent: boolean,
): SheetLine[] {
  return [
    makeSheetLine(
      styleText(message, theme.strong),
      styleText(` ${sent ? 'to' : 'from'} the other end of ${link}`, theme.faint),
    ),
    ...fieldLines('ServiceID', serviceId),
    ...bodyLines(body),
  ];
}

/**
 * Splits the journal's text about a rule, such as "amountEnding: the requested amount ends in 124", into two lines:
 * one for the rule, and one for the reason.
 */
export function ruleLines(rule: string): SheetLine[] {
  const [, name = rule, why = ''] = /^(\w+): (.*)$/s.exec(rule) ?? [];
  return [...fieldLines("the host's rule", name, theme.strong), ...fieldLines('because', why, theme.strong)];
}

function concludedOf(
  { payments }: TuiState,
  { payment: id, data }: JournalEntry<'payment.concluded'>,
): SheetLine[] {
  const payment = payments.find((each) => each.id === id);
  const style = data.result === 'success' ? theme.success : theme.error;
  return [
    ...(payment
      ? fieldLines(`${payment.givesBack ?? 'payment'} of`, paymentMoneyText(payment), theme.strong)
      : []),
    ...fieldLines(
      'result',
      payment && failureReasonOf(payment) ? failureReasonOf(payment) : data.result,
      style,
    ),
    ...fieldLines('because', data.why, theme.strong),
    ...(payment?.rule ? ruleLines(payment.rule) : []),
    emptyLine,
    ...makeJsonSheetLines(data),
  ];
}

function aboutOf({ terminals, payments }: TuiState, entry: JournalEntry): SheetLine[] {
  const { kind, seq, terminal } = entry;
  const payment = paymentIdOfEntry(payments, entry);
  const shown = payment === undefined ? [] : fieldLines('payment', payment);
  return [
    ...fieldLines('kind', `${kind}, entry ${seq}`),
    ...fieldLines('terminal', terminal && terminalNameOf({ terminals }, terminal)),
    ...shown.map((each) => ({ ...each, command: { do: 'openPayment', id: payment ?? '' } as const })),
  ];
}
