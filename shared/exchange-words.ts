import type { DialectRequestMeaning } from './dialect-meaning.ts';
import type { JournalEntry } from './journal.ts';
import { asRecord } from './journal-fields.ts';
import { currencyExponent, formatDecimalAmount } from './money.ts';
import { describeRefusalReason } from './refusal-words.ts';

type Received = Pick<JournalEntry<'http.received'>['data'], 'method' | 'path' | 'headers' | 'body' | 'asks'>;
type Answered = Pick<
  JournalEntry<'http.answered'>['data'],
  'status' | 'headers' | 'body' | 'durationMs' | 'means'
>;
type Said = Pick<JournalEntry<'message.sent'>['data'], 'message' | 'body'>;

/** The sign that stands for the omitted part of a long name. */
type Cut = '…' | '~';

/**
 * Describes a request so that a person can tell requests apart: `POST payment-request 12.5, sale-7KQ2, key …f3a1`
 * (B265).
 */
export function describeRequest({ method, path: target, headers, body, asks }: Received, cut: Cut): string {
  if (asks) return askedWords(asks, body);
  const [path = '', query = ''] = target.split('?', 2);
  const asked = new URLSearchParams(query);
  const sent = asRecord(body);
  const { requestedAmount } = asRecord(asRecord(sent.paymentTransaction).amountsReq);
  const key = headers?.['idempotency-key'] ?? textOf(sent.idempotencyKey) ?? asked.get('idempotencyKey');
  const about = textOf(sent.transactionId) ?? asked.get('transactionId');
  const amount = amountText(requestedAmount ?? sent.amount);
  return [
    [`${method} ${shortenTerminalPath(path, cut)}`, amount].filter(Boolean).join(' '),
    textOf(asRecord(sent.saleData).saleReferenceId),
    key && `key ${endOfKey(key, cut)}`,
    about && `payment ${endOfKey(about, cut)}`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** Describes a nexo request: `PaymentRequest 12.5, till-1 27908, ServiceID 0001`. */
function askedWords({ kind, amount, reference, id }: DialectRequestMeaning, body: unknown): string {
  const [name = 'a message'] = Object.keys(asRecord(asRecord(body).SaleToPOIRequest)).filter(
    (field) => field !== 'MessageHeader',
  );
  const asked = [textOf(name), kind === 'refund' && 'refund', amountText(amount)].filter(Boolean).join(' ');
  return [asked, textOf(reference), id && `ServiceID ${id}`].filter(Boolean).join(', ');
}

/**
 * Describes an answer: `200 approved EUR 11.80 after 9.7 s`, `404 notFound after 3 ms`, `303 after 150.0 s, to …`
 * (B265).
 */
export function describeAnswer(
  { status, headers = {}, body, durationMs, means }: Answered,
  cut: Cut,
): string {
  const { Location: location, 'Retry-After': retryAfter } = headers;
  const says = outcomeIn(body) ?? means?.as ?? textOf(asRecord(body).error);
  return [
    [status, says, 'after', durationText(durationMs)].filter(Boolean).join(' '),
    location && `to ${shortenUuids(location, cut)}`,
    retryAfter && `ask again after ${retryAfter} s`,
  ]
    .filter(Boolean)
    .join(', ');
}

/**
 * Describes a nexo message: `Authorize EUR 11.80`, `card inserted, PIN entered`. Returns only the name of the message
 * if there is nothing more to say (B265).
 */
export function describeNexoMessage({ message, body }: Said): string {
  return messages.get(message)?.(asRecord(body)) || message;
}

function paymentRequest(said: Record<string, unknown>): string {
  const { Currency, RequestedAmount } = asRecord(asRecord(said.PaymentTransaction).AmountsReq);
  const refund = asRecord(said.PaymentData).PaymentType === 'Refund' && 'refund';
  const about = [refund, money(RequestedAmount, Currency), textOf(asRecord(said.SaleData).SaleReferenceID)];
  return ['PaymentRequest', about.filter(Boolean).join(', ')].filter(Boolean).join(' ');
}

function reversalRequest(said: Record<string, unknown>): string {
  const about = [amountText(said.ReversedAmount), textOf(asRecord(said.SaleData).SaleReferenceID)];
  return ['ReversalRequest', about.filter(Boolean).join(', ')].filter(Boolean).join(' ');
}

const answer =
  (name: 'PaymentResponse' | 'ReversalResponse') =>
  (said: Record<string, unknown>): string =>
    `${name} ${resultWords(said)}`;

/** Returns the outcome in a terminal's answer. */
function resultWords(said: Record<string, unknown>): string {
  const { Result, ErrorCondition, AdditionalResponse } = asRecord(said.Response);
  const more = Object.fromEntries(new URLSearchParams(textOf(AdditionalResponse, longestAnswer) ?? ''));
  return outcomeWords(Result === 'Success', textOf(ErrorCondition), more);
}

function acquirerRequest({
  Type,
  Currency,
  TotalAmount,
  Amount,
}: Record<string, unknown>): string | undefined {
  return textOf(Type) && [Type, minorMoney(TotalAmount ?? Amount, Currency)].filter(Boolean).join(' ');
}

function acquirerResponse(said: Record<string, unknown>): string | undefined {
  const { Type, Approved, RefusalReason, AuthCode } = said;
  const [type, reason, code] = [Type, RefusalReason, AuthCode].map((value) => textOf(value));
  if (Approved === true) return type && `${type}: approved${code ? `, code ${code}` : ''}`;
  if (Approved !== false) return type;
  return type && `${type}: declined${reason ? `, ${describeRefusalReason(reason)}` : ''}`;
}

const messages = new Map<string, (said: Record<string, unknown>) => string | undefined>([
  ['DisplayRequest', (said) => progressIn(said).join(', ')],
  ['PaymentRequest', paymentRequest],
  ['PaymentResponse', answer('PaymentResponse')],
  ['ReversalRequest', reversalRequest],
  ['ReversalResponse', answer('ReversalResponse')],
  ['AcquirerRequest', acquirerRequest],
  ['AcquirerResponse', acquirerResponse],
  ['EventNotification', (said) => textOf(said.EventToNotify) && `EventNotification ${said.EventToNotify}`],
]);

/** Returns a payment's outcome. It is read from the service's answer. */
function outcomeIn(body: unknown): string | undefined {
  const nexo = nexoOutcomeIn(asRecord(asRecord(body).SaleToPOIResponse));
  if (nexo) return nexo;
  const { result, errorCondition, additionalResponse } = asRecord(asRecord(body).response);
  if (result !== 'success' && result !== 'failure') return undefined;
  return outcomeWords(result === 'success', textOf(errorCondition), asRecord(additionalResponse));
}

/**
 * Returns the outcome from the answer to a payment or reversal. The answer to a status request contains such an answer,
 * which is read in the same way.
 */
function nexoOutcomeIn({
  PaymentResponse,
  ReversalResponse,
  TransactionStatusResponse,
}: Record<string, unknown>) {
  const { RepeatedMessageResponse } = asRecord(TransactionStatusResponse);
  const repeated = asRecord(asRecord(RepeatedMessageResponse).RepeatedResponseMessageBody);
  const answered = PaymentResponse ?? ReversalResponse;
  const said = asRecord(answered ?? repeated.PaymentResponse ?? repeated.ReversalResponse);
  return said.Response === undefined ? undefined : resultWords(said);
}

function outcomeWords(
  approved: boolean,
  condition: string | undefined,
  more: Readonly<Record<string, unknown>>,
): string {
  if (approved)
    return ['approved', minorMoney(more.posAuthAmountValue, more.posAuthAmountCurrency)]
      .filter(Boolean)
      .join(' ');
  const reason = textOf(more.refusalReason);
  return ['not approved', condition, reason && describeRefusalReason(reason)].filter(Boolean).join(': ');
}

/** Describes the steps in which a terminal reports its progress. */
function progressIn({ DisplayOutput }: Record<string, unknown>): string[] {
  if (!Array.isArray(DisplayOutput)) return [];
  return DisplayOutput.flatMap((output) => {
    const content = asRecord(asRecord(output).OutputContent);
    const id = textOf(asRecord(content.PredefinedContent).ReferenceID) ?? '';
    const event = new URLSearchParams(id).get('event');
    return event
      ? event
          .toLowerCase()
          .replaceAll('_', ' ')
          .replaceAll(/\bpin\b/g, 'PIN')
      : [];
  });
}

/**
 * If a path begins with a terminal, as `/terminals/ID/payment-request` does, returns only the part after the terminal,
 * because the payment already names the terminal.
 */
export function shortenTerminalPath(path: string, cut: Cut): string {
  const [, ofTerminal] = /^\/terminals\/[^/]+\/(.+)$/.exec(path) ?? [];
  return ofTerminal ?? shortenUuids(path, cut);
}

/** Shortens UUIDs. A UUID takes 36 columns and tells a person nothing. Its end is enough to compare two UUIDs. */
export function shortenUuids(text: string, cut: Cut): string {
  return text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{23}([0-9a-f]{4})\b/gi, `${cut}$1`);
}

/**
 * At most this many characters of a terminal's additional response are parsed, because only one line is made from it.
 */
const longestAnswer = 4_000;

const longestKey = 12;

function endOfKey(key: string, cut: Cut): string {
  return key.length <= longestKey ? key : `${cut}${key.slice(-4)}`;
}

function amountText(amount: unknown): string | undefined {
  return typeof amount === 'number' || typeof amount === 'string' ? String(amount).slice(0, 20) : undefined;
}

function money(amount: unknown, currency: unknown): string | undefined {
  const text = amountText(amount);
  return text && [textOf(currency), text].filter(Boolean).join(' ');
}

function minorMoney(minor: unknown, currency: unknown): string | undefined {
  const amount = Number(minor);
  const code = textOf(currency);
  if (minor === undefined || !Number.isSafeInteger(amount) || code === undefined) return undefined;
  return currencyExponent(code) === undefined ? undefined : `${code} ${formatDecimalAmount(amount, code)}`;
}

function textOf(value: unknown, longest = 100): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, longest) : undefined;
}

function durationText(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
