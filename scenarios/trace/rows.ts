import { isoTime } from '../../shared/clock.ts';
import type { JournalEntry, JournalKind, JournalKinds } from '../../shared/journal.ts';
import { journalLine } from '../../terminal-emulator/index.ts';
import { asRecord, field } from '../requests/read-requests.ts';
import { type Html, html } from './html.ts';
import { isOperators, lanes, wayOf } from './lanes.ts';

const brokenKinds: JournalKind[] = ['http.hungUp', 'link.closed', 'fault.injected'];

/** One entry as a line of the trace: the arrow or note in its lanes, and all of it inside. */
export function rowOf(entry: JournalEntry): Html {
  const { from, to } = wayOf(entry);
  const [start, end] = [lanes.indexOf(from), lanes.indexOf(to)];
  const { tone, detail } = journalLine(entry);
  const direction = start === end ? 'note' : start < end ? 'right' : 'left';
  const broken = brokenKinds.includes(entry.kind) ? ' broken' : '';
  const span = Math.abs(end - start) + 1;
  const small =
    isOperators(entry) || entry.kind === 'control.changed' || (detail && !alwaysShown.test(entry.kind));
  return html`<li class="row ${tone}${small ? ' small' : ''}" id="e${entry.seq}" data-at="${entry.at}" data-lanes="${from} ${to}" data-payment="${paymentOf(entry)}" data-request="${field(entry, 'requestId')}" data-terminal="${entry.terminal}">
<details><summary><time datetime="${isoTime(entry.at)}">${timeOfDay(entry.at)}</time><span class="line ${direction}${broken} c${Math.min(start, end) + 1} s${span}"><span class="text">${labelOf(entry)}</span></span></summary>
<div class="more"><p class="facts">${factsOf(entry)}</p><pre tabindex="0">${JSON.stringify(entry.data, null, 2)}</pre></div></details>
${entry.kind === 'terminal.screen' && screenOf(entry)}</li>
`;
}

/** What a trace is read for is no small print, though it is one in a terminal's few lines. */
const alwaysShown = /^(message\.|ledger\.|webhook\.|event\.|terminal\.key$)/;

/** The lanes say who talks to whom, so that messages need only their names. */
function labelOf(entry: JournalEntry): string {
  const by = isOperators(entry) ? 'Test: ' : '';
  if (entry.kind === 'http.received') return `${by}${entry.data.method} ${shortened(entry.data.path)}`;
  if (entry.kind === 'http.answered') {
    const { status, durationMs, headers } = entry.data;
    const next = Object.entries(headers ?? {}).map(([name, value]) => ` · ${name}: ${shortened(value)}`);
    return `${by}${status} after ${durationMs / 1000} s${next.join('')}`;
  }
  if (entry.kind === 'terminal.screen') return `Display: ${entry.data.title || entry.data.state}`;
  if (entry.kind === 'message.sent' || entry.kind === 'message.received') return entry.data.message;
  return journalLine(entry).text;
}

function shortened(path: string): string {
  return path.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{23}([0-9a-f]{4})\b/gi, '…$1');
}

/** The clock's time of day with milliseconds. */
function timeOfDay(at: number): string {
  return isoTime(at).slice(11, 23);
}

function factsOf({ seq, kind, terminal, payment }: JournalEntry): string {
  return [`#${seq}`, kind, terminal, payment && `payment ${payment}`].filter(Boolean).join(' · ');
}

function paymentOf(entry: JournalEntry): string | undefined {
  if (entry.payment !== undefined) return entry.payment;
  if (entry.kind !== 'http.answered' || isOperators(entry)) return undefined;
  const { identifier, debit_id } = asRecord(entry.data.body);
  const id = identifier ?? debit_id;
  return typeof id === 'string' ? id : undefined;
}

/** What the terminal shows from now on. */
function screenOf({ terminal, data }: JournalEntry<'terminal.screen'>): Html {
  const { state, title, amount, lines = [], choices = [] }: JournalKinds['terminal.screen'] = data;
  return html`<figure class="screen" data-terminal="${terminal}" data-state="${state}"><figcaption>${terminal}: ${state}</figcaption><div class="glass"><strong>${title}</strong>${amount !== undefined && html`<b>${amount}</b>`}${lines.map((line) => html`<span>${line}</span>`)}${choices.map((choice) => html`<span class="choice">${choice}</span>`)}</div></figure>`;
}
