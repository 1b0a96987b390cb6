import type { Arrival } from '../environment/receiver.ts';
import { describeDifferences, type ExpectationCheck } from './expectation.ts';
import { differences, type ExpectedValue, explainDifference } from './match.ts';

/**
 * `none`, a list of messages, or a matcher for all messages. The messages in the list must come in this order, but
 * other messages may come between them.
 */
export type ExpectedWebhooks = 'none' | readonly unknown[] | Record<string, unknown>;

/**
 * Checks the messages that came to the receivers. The expected messages must come in the given order, but other
 * messages may come between them.
 */
export const checkWebhooks: ExpectationCheck<ExpectedWebhooks> = async ({ receivers }, expected) => {
  const { arrivals } = receivers;
  const saw = `the webhooks: ${arrivals.map(describeArrival).join(', ') || 'none came'}`;
  if (expected === 'none')
    return { wrong: arrivals.length > 0 ? [`${arrivals.length} webhooks came`] : [], saw, final: true };
  if (!Array.isArray(expected)) return { wrong: describeDifferences('webhooks', expected, arrivals), saw };
  let next = 0;
  for (const wanted of expected.map(typeOrParts)) {
    const found = arrivals.findIndex((one, index) => index >= next && differences(wanted, one).length === 0);
    if (found === -1) return { wrong: [missing(wanted, arrivals, next)], saw };
    next = found + 1;
  }
  return { wrong: [], saw };
};

function typeOrParts(expected: unknown): ExpectedValue {
  return typeof expected === 'string' ? { type: expected } : expected;
}

/**
 * Describes a message that did not come. If messages of the same type came, also says how the latest of these is
 * different.
 */
function missing(wanted: ExpectedValue, arrivals: readonly Arrival[], next: number): string {
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
