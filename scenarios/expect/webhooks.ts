import type { Arrival } from '../environment/receiver.ts';
import { differenceLines, type ExpectationCheck } from './expectation.ts';
import { differences, explainDifference, type Wanted } from './match.ts';

/**
 * `none`; messages that must come in this order, possibly with further messages in between; or a matcher for the list
 * of all messages.
 */
export type ExpectedWebhooks = 'none' | readonly unknown[] | Record<string, unknown>;

/** Checks the messages to the receivers: each expected message must fit one that came after the previous match. */
export const checkWebhooks: ExpectationCheck<ExpectedWebhooks> = async ({ receivers }, expected) => {
  const { arrivals } = receivers;
  const saw = `the webhooks: ${arrivals.map(describeArrival).join(', ') || 'none came'}`;
  if (expected === 'none')
    return { wrong: arrivals.length > 0 ? [`${arrivals.length} webhooks came`] : [], saw, final: true };
  if (!Array.isArray(expected)) return { wrong: differenceLines('webhooks', expected, arrivals), saw };
  let next = 0;
  for (const wanted of expected.map(typeOrParts)) {
    const found = arrivals.findIndex((one, index) => index >= next && differences(wanted, one).length === 0);
    if (found === -1) return { wrong: [missing(wanted, arrivals, next)], saw };
    next = found + 1;
  }
  return { wrong: [], saw };
};

function typeOrParts(expected: unknown): Wanted {
  return typeof expected === 'string' ? { type: expected } : expected;
}

/** Describes a missing message, and how the latest message of its type differs, if there is one. */
function missing(wanted: Wanted, arrivals: readonly Arrival[], next: number): string {
  const after = arrivals[next - 1];
  const where = after ? ` after ${describeArrival(after)}` : '';
  const message = `no webhook like ${JSON.stringify(wanted)} came${where}`;
  const { type } = wanted as { type?: unknown };
  const nearest = arrivals.findLast((one, index) => index >= next && one.type === type);
  if (!nearest) return message;
  const wrong = differences(wanted, nearest, nearest.type).map(explainDifference);
  return [message, ...wrong].join('\n');
}

/** Describes a message, such as `payments.refunds.created to pos (attempt 2, answered 500)`. */
function describeArrival({ type, webhook, attempt, signature, answer }: Arrival): string {
  const details = [
    attempt > 1 ? `attempt ${attempt}` : undefined,
    signature === 'wrong' ? 'with a wrong signature' : undefined,
    answer === undefined ? 'not answered' : `answered ${answer}`,
  ];
  return `${type} to ${webhook} (${details.filter(Boolean).join(', ')})`;
}
