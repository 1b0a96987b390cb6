import type { JournalEntry } from '../../../shared/journal.ts';
import { asRecord } from '../../../shared/journal-fields.ts';

/**
 * An action as the step of a scenario that repeats it (docs/scenarios.md); undefined for what is only an effect.
 * What a scenario cannot have, such as a terminal's identifier in a path, stays as it was seen.
 */
export function scenarioStepOf(entry: JournalEntry): string | undefined {
  if (entry.kind === 'http.received') return requestStep(entry);
  if (entry.kind === 'terminal.card') return cardStep(entry);
  if (entry.kind === 'terminal.power') return `- power: ${entry.data.on ? 'on' : 'off'}`;
  if (entry.kind === 'terminal.network') return `- network: ${entry.data.up ? 'up' : 'down'}`;
  if (entry.kind === 'clock.advanced') return `- pass: ${entry.data.byMs} ms`;
  if (entry.kind === 'terminal.key' && entry.data.key !== 'digit') return `- press: ${entry.data.key}`;
  return undefined;
}

function cardStep({ data: { action, card } }: JournalEntry<'terminal.card'>): string | undefined {
  if (action === 'removed') return '- remove';
  const verb = { inserted: 'insert', tapped: 'tap', swiped: 'swipe', keyed: undefined }[action];
  return verb && `- ${verb}: ${text(card)}`;
}

function requestStep({ data: { method, path, headers = {}, body } }: JournalEntry<'http.received'>) {
  if (path.startsWith('/control')) return undefined;
  const amount = asRecord(asRecord(asRecord(body).paymentTransaction).amountsReq).requestedAmount;
  const isPayment = method === 'POST' && /^\/terminals\/[^/]+\/payment-request$/.test(path);
  if (isPayment && typeof amount === 'number') {
    const key = headers['idempotency-key'];
    return [
      `- pay: ${amount}`,
      ...(key === undefined ? [] : [`  key: ${text(key)}`]),
      ...(headers.prefer === undefined ? [] : [`  headers: { prefer: ${text(headers.prefer)} }`]),
      `  body: ${JSON.stringify(body)}`,
    ].join('\n');
  }
  return [
    `- request: ${text(`${method} ${path}`)}`,
    ...(body === undefined ? [] : [`  body: ${JSON.stringify(body)}`]),
    ...(Object.keys(headers).length === 0 ? [] : [`  headers: ${JSON.stringify(headers)}`]),
  ].join('\n');
}

/** A text of YAML, plain where that is safe; JSON is YAML, too. */
function text(value: string): string {
  return /^[A-Za-z][\w./ -]*[\w/]$/.test(value) && !/^(true|false|null|yes|no|on|off)$/i.test(value)
    ? value
    : JSON.stringify(value);
}
