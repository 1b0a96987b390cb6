import {
  describeAnswer,
  describeNexoMessage,
  describeRequest,
  shortenTerminalPath,
  shortenUuids,
} from '../../shared/exchange-words.ts';
import { faultText } from '../../shared/fault-words.ts';
import type { JournalDataByKind, JournalEntry, JournalKind } from '../../shared/journal.ts';
import { memoize } from '../../shared/memoize.ts';
import { currencyExponent, formatDecimalAmount } from '../../shared/money.ts';

/** An entry of the journal, turned into a line that people can read. */
export interface JournalLine {
  readonly seq: number;
  /** The time of day in the user's zone, e.g. 09:00:12. */
  readonly time: string;
  /** The poi_id of the terminal, if the line concerns a terminal. */
  readonly terminal: string | undefined;
  readonly text: string;
  readonly tone: 'neutral' | 'success' | 'error' | 'warning';
  /** Whether the line is small print, which is shown only if the user wants details. */
  readonly detail: boolean;
  /** The entry that the line shows. */
  readonly entry: JournalEntry;
}

/**
 * The text of a line. A text that contains a body is a function, which is called only if the line is seen. The reason
 * is that a body must be parsed before it can be shown, and most lines are never seen.
 */
type Description = string | { text: string | (() => string); tone?: JournalLine['tone']; detail?: boolean };

const small = (text: string): Description => ({ text, detail: true });
const warn = (text: string): Description => ({ text, tone: 'warning' });

/** The part of an entry that says to which payment the entry belongs. */
type About = Pick<JournalEntry, 'payment'>;

const namesOf = { payment: 'Payment', refund: 'Refund', reversal: 'Reversal' } as const;

const describers: { [K in JournalKind]: (data: JournalDataByKind[K], about: About) => Description } = {
  'http.received': (data) => ({ text: () => `${clientOf(data.path)} asks ${describeRequest(data, '~')}` }),
  'http.answered': (data) => ({
    text: () =>
      `${clientOf(data.path)} is answered ${describeAnswer(data, '~')} (${data.method} ${shortenTerminalPath(data.path, '~')})`,
    tone: data.status >= 400 ? 'error' : 'neutral',
  }),
  'fault.injected': ({ fault, method, path }) =>
    warn(`${faultText(fault)} (set by a test): ${method} ${shortenUuids(path, '~')}`),
  'http.hungUp': ({ method, path }) =>
    warn(`${clientOf(path)} hung up on ${method} ${shortenUuids(path, '~')}`),
  'http.sent': ({ method, path, whole }) =>
    whole
      ? small(`The whole answer to ${method} ${shortenUuids(path, '~')} was sent`)
      : warn(`The connection ended in the middle of the answer to ${method} ${shortenUuids(path, '~')}`),
  'request.unknownField': ({ paths }) => warn(`Request has unknown fields: ${paths.join(', ')}`),
  'request.cardNumber': ({ paths }) =>
    warn(`Request contains what looks like a card number: ${paths.join(', ')}`),
  'gateway.joined': ({ among }) => small(`This gateway is one of several: ${among}`),
  'link.opened': ({ link }) => small(`Link ${link} opened`),
  'link.closed': ({ link, code, reason }) => small(`Link ${link} closed: ${code} ${reason}`),
  'message.sent': (data) => ({ text: () => `${data.link} sends ${describeNexoMessage(data)}`, detail: true }),
  'message.received': (data) => ({
    text: () => `${data.link} gets ${describeNexoMessage(data)}`,
    detail: true,
  }),
  'payment.accepted': ({ amount, currency, paymentKind }) =>
    `${namesOf[paymentKind ?? 'payment']} of ${money(amount, currency)} accepted`,
  'payment.delivered': ({ again, paymentKind }) =>
    `${namesOf[paymentKind ?? 'payment']} ${again ? 'was delivered again' : 'is on the terminal'}`,
  'payment.progressed': ({ event }) => small(`To the POS: ${words(event)}`),
  'payment.abortRequested': ({ via }) => warn(`Abort requested (${via})`),
  'payment.lost': ({ deadline }) =>
    warn(`Terminal lost; the payment waits until ${formatClockTime(Date.parse(deadline))}`),
  'payment.concluded': ({ paymentKind, result, errorCondition, why }) => ({
    text: `${namesOf[paymentKind ?? 'payment']} ${result === 'success' ? 'succeeded' : `failed: ${errorCondition ?? 'unknown'}`} - ${why}`,
    tone: result === 'success' ? 'success' : 'error',
  }),
  'payment.lateResult': ({ result, why }) => warn(`Late result ${result}: ${why}`),
  'belief.stated': ({ believes }) => `The shop believes: ${words(believes)}`,
  'ledger.authorized': ({ amount, currency, rule }) => ({
    text: `Issuer authorized ${money(amount, currency)} (${rule})`,
    tone: 'success',
  }),
  'ledger.declined': ({ amount, currency, rule }) => ({
    text: `Issuer declined ${money(amount, currency)} (${rule})`,
    tone: 'error',
  }),
  'ledger.reversed': ({ reason }) => warn(`Issuer reversed the authorization: ${reason}`),
  'ledger.captured': ({ amount, currency }) => small(`Issuer paid out ${money(amount, currency)}`),
  'ledger.refunded': ({ amount, currency, rule }) =>
    rule === undefined
      ? small(`Issuer gave ${money(amount, currency)} back to the customer`)
      : { text: `Issuer gave ${money(amount, currency)} back (${rule})`, tone: 'success' },
  'ledger.returned': ({ amount, currency, refund, reason }, { payment }) =>
    refund === payment
      ? warn(`Issuer took back ${money(amount, currency)} that it had given: ${reason}`)
      : small(`Issuer returned ${money(amount, currency)} of a failed refund`),
  'debit.changed': ({ state, amount, currency, why }) => ({
    text: `Debit of ${money(amount, currency)} is ${state} - ${why}`,
    tone: state === 'failed' ? 'error' : state === 'paid' ? 'success' : 'neutral',
  }),
  'refund.changed': ({ status, amount, currency, why }) => ({
    text: `Refund of ${money(amount, currency)} is ${status} - ${why}`,
    tone: status === 'failed' ? 'error' : 'neutral',
  }),
  'event.published': ({ type }) => small(`Event ${type}`),
  'credit.changed': ({ state, amount, currency, why }) => ({
    text: `Payment link of ${money(amount, currency)} is ${state} - ${why}`,
    tone: state === 'failed' ? 'error' : state === 'completed' ? 'success' : 'neutral',
  }),
  'credit.visited': ({ what }) => small(`Payment link: ${what}`),
  'webhook.attempted': ({ type, status, error }) => small(`Webhook ${type}: ${error ?? status}`),
  'webhook.faulted': ({ fault, type }) => warn(`${faultText(fault)} (set by a test): ${type}`),
  'webhook.failed': ({ why }) => warn(`Webhook given up: ${why}`),
  'webhook.probed': ({ status, error }) => small(`Webhook got a forged message: ${error ?? status}`),
  'webhook.disabled': ({ why }) => warn(`Webhook disabled: ${why}`),
  'terminal.state': ({ state }) => small(`Terminal is ${words(state)}`),
  'terminal.screen': ({ title, state }) => `Display: ${title || words(state)}`,
  'terminal.key': ({ key }) => small(`Key ${key}`),
  'terminal.card': ({ action, card }) => `Card ${action}: ${card}`,
  'terminal.power': ({ on, at }) =>
    warn(on ? 'Power on' : at ? `Power off, as planned for the moment ${at}` : 'Power off'),
  'terminal.cutPlanned': ({ at, mode }) =>
    warn(
      at
        ? `Power will be cut at the moment ${at}${mode === 'always' ? ', every time' : ''}`
        : 'Planned power cut cancelled',
    ),
  'terminal.network': ({ up, at }) =>
    warn(
      up
        ? 'Network cable in'
        : at
          ? `Network cable out, as planned for the moment ${at}`
          : 'Network cable out',
    ),
  'moment.paused': ({ at }) => warn(at ? `Paused at ${at}` : 'Continues after the pause'),
  'gateway.crashed': ({ at }) => warn(`The gateway crashed, as planned for the moment ${at}`),
  'moment.set': ({ moment, action }) => warn(`Planned for ${moment}: ${words(action)}`),
  'moment.cleared': ({ moment }) => warn(`Nothing is planned for ${moment ?? 'any moment'} any more`),
  'terminal.flapping': ({ times }) =>
    warn(
      times > 0 ? `Network fails and comes back, ${times} times` : 'The repeated network failures are over',
    ),
  'terminal.latency': ({ latencyMs }) =>
    warn(latencyMs > 0 ? `Network slow: ${latencyMs} ms` : 'Network fast'),
  'terminal.printed': ({ copy }) => `Printed the ${words(copy)}`,
  'terminal.memory': ({ what }) => small(`Remembers: ${what}`),
  'reader.event': ({ reader, event }) =>
    `Reader ${reader}: ${event.replace(/^reader\./, '').replace(/^card\./, 'card ')}`,
  'outcome.set': ({ scope }) => `Outcome set for ${scope}`,
  'clock.advanced': ({ byMs }) => `Clock moved on by ${seconds(byMs)}`,
  'control.changed': ({ what }) => `Changed: ${what}`,
  'journal.lost': ({ why }) => warn(why),
  warning: ({ message }) => warn(message),
};

const format = memoize(() => new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' }));

/** Returns a time as the time of day in the user's zone. */
export function formatClockTime(at: number): string {
  return format().format(at);
}

/** Turns an entry into a line that people can read. */
export function makeJournalLine(entry: JournalEntry): JournalLine {
  const describe = describers[entry.kind] as ((data: unknown, about: About) => Description) | undefined;
  const description = describe?.(entry.data, entry) ?? small(entry.kind);
  const {
    text,
    tone = 'neutral',
    detail = false,
  } = typeof description === 'string' ? { text: description } : description;
  const { seq, terminal } = entry;
  const line = { seq, time: formatClockTime(entry.at), terminal, tone, detail, entry };
  if (typeof text === 'string') return { ...line, text };
  let read: string | undefined;
  return Object.defineProperty(line, 'text', {
    enumerable: true,
    get: () => {
      read ??= text();
      return read;
    },
  }) as JournalLine;
}

/**
 * Whether a path belongs to the control API. Such requests come from a test or a person, not from the point of sale.
 */
export function isControlPath(path: string): boolean {
  return path.startsWith('/control');
}

function clientOf(path: string): string {
  return isControlPath(path) ? 'Control' : 'POS';
}

function money(minor: number, currency: string): string {
  return currencyExponent(currency) === undefined
    ? `${minor} ${currency}`
    : `${currency} ${formatDecimalAmount(minor, currency)}`;
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** Writes a name as words: `CARD_INSERTED` as "card inserted", `cashierReceipt` as "cashier receipt". */
function words(name: string): string {
  return name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
}
