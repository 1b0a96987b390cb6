import { isDeepStrictEqual } from 'node:util';
import type { Violation } from './check.ts';
import type { Debit, Refund } from './check-debit.ts';
import type { ProcessedEvent } from './webhook-receiver.ts';

/** A credit as the control API returns it. */
export interface Credit {
  id: string;
  state: 'initiated' | 'completed' | 'expired' | 'failed';
  amount: number;
  statement: string;
}

/** All resources that were created since the last check. */
export interface CreatedResources {
  debits: Debit[];
  credits: Credit[];
  /** The events, oldest first. */
  events: StoredEvent[];
}

export interface StoredEvent {
  id: string;
  type: string;
  resourceId: string;
  data: { status: string };
}

/**
 * Checks the events. Every change of a resource's state must have one event, and the events must be in the order of the
 * changes. Each event must have reached the receiver at least once, always with the same content. Apart from
 * repetitions, the events of one resource must have arrived in their order. No other events may have arrived.
 */
export function checkEvents(
  made: CreatedResources,
  taken: readonly ProcessedEvent[],
  known: ReadonlySet<string>,
): Violation[] {
  const byResource = Map.groupBy(made.events, ({ resourceId }) => resourceId);
  const violations: Violation[] = [];
  const broken = (rule: string, ids: string[], detail: string) => violations.push({ rule, ids, detail });

  for (const [id, path] of pathsOf(made)) {
    const events = (byResource.get(id) ?? []).map(({ type }) => type.replace('payments.', ''));
    byResource.delete(id);
    if (events.join(' ') !== path)
      broken('every change has one event', [id], `${events.join(' ')}, not ${path}`);
  }
  for (const [id, events] of byResource) broken('every event has its change', [id], JSON.stringify(events));

  const first = new Map<string, { at: number; body: string }>();
  for (const [at, { id, body }] of taken.entries()) {
    const before = first.get(id);
    if (!before) first.set(id, { at, body });
    else if (before.body !== body)
      broken('an event comes the same every time', [id], `${before.body}\n${body}`);
    if (!before && !known.has(id)) broken('nothing comes that is no event', [id], body);
  }
  const lastAt = new Map<string, number>();
  for (const { id, type, resourceId, data } of made.events) {
    const came = first.get(id);
    if (!came) {
      broken('every event comes', [resourceId, id], type);
      continue;
    }
    const sent = JSON.parse(came.body) as { type: string; data: object };
    if (sent.type !== type || !isDeepStrictEqual(sent.data, data))
      broken('what comes is what is stored', [resourceId, id], came.body);
    if (came.at < (lastAt.get(resourceId) ?? -1))
      broken("a resource's events come in their order", [resourceId, id], type);
    lastAt.set(resourceId, came.at);
  }
  return violations;
}

/** Returns the events that each resource must have had to reach its state. */
function pathsOf({ debits, credits }: CreatedResources): [id: string, path: string][] {
  return [
    ...debits.map((debit): [string, string] => [debit.id, debitPath(debit)]),
    ...debits.flatMap((debit) =>
      debit.refunds.map((refund): [string, string] => [refund.id, refundPath(refund, debit)]),
    ),
    ...credits.map((credit): [string, string] => [credit.id, creditPath(credit)]),
  ];
}

function debitPath({ flow, state, ledger }: Debit): string {
  if (flow === 'charge') return state === 'paid' ? 'debits.completed' : 'debits.failed';
  const authorized = ledger.some(({ kind }) => kind === 'authorized');
  if (!authorized) return 'debits.failed';
  return state === 'preauthorized' ? 'debits.preauthorized' : `debits.preauthorized debits.${state}`;
}

function refundPath({ status, submittedAt }: Refund, { creditCardId }: Debit): string {
  if (creditCardId === 'refund-fails-at-once') return 'refunds.failed';
  const submitted = submittedAt === null ? '' : ' refunds.submitted';
  const failed = status === 'failed' ? ' refunds.failed' : '';
  return `refunds.created${submitted}${failed}`;
}

function creditPath({ state }: Credit): string {
  return state === 'initiated' ? 'credits.initiated' : `credits.initiated credits.${state}`;
}
