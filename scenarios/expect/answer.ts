import { asRecord } from '../../shared/journal-fields.ts';
import { type ErrorCondition, errorConditions, toLowerCamel } from '../../shared/nexo/enums.ts';
import type { HttpAnswer } from '../environment/http-exchange.ts';
import { nexoOutcomeIn } from '../environment/nexo-outcome.ts';
import type { SentRequest } from '../environment/sent-request.ts';
import {
  type CheckResult,
  describeDifferences,
  describeSentRequest,
  type ExpectationCheck,
  findCheckedRequest,
} from './expectation.ts';

/**
 * The expected state of a request: the request is still open, its connection is broken, or its answer has this status
 * or these parts.
 */
export type ExpectedAnswer =
  | 'pending'
  | 'lost'
  | number
  | { status?: unknown; headers?: unknown; body?: unknown; error?: unknown };

/** Checks the HTTP answer to a request. */
export const checkAnswer: ExpectationCheck<ExpectedAnswer> = async (scope, expected) =>
  check(findCheckedRequest(scope), expected);

function check(request: SentRequest, expected: ExpectedAnswer): CheckResult {
  const { answer, broken } = request.exchange;
  const name = describeSentRequest(request);
  if (expected === 'pending')
    return answer
      ? { wrong: [`${name} is answered already`], saw: described(answer), final: true }
      : { wrong: broken ? [`${name} broke off: ${broken}`] : [], final: true };
  if (expected === 'lost')
    return { wrong: broken ? [] : [`the connection of ${name} did not break`], final: answer !== undefined };
  if (broken) return { wrong: [`${name} has no answer: ${broken}`], final: true };
  if (!answer) return { wrong: [`${name} is not answered yet`] };
  const { error, ...parts } =
    typeof expected === 'number' ? { status: expected, error: undefined } : expected;
  const wanted = error === undefined ? parts : { ...parts, body: { ...(parts.body as object), error } };
  return { wrong: describeDifferences('answer', wanted, answer), saw: described(answer), final: true };
}

/** The outcome of a payment: `success`, or the errorCondition with the API's spelling (B34). */
export type Outcome = 'success' | 'wrongPin' | Exclude<Uncapitalize<ErrorCondition>, 'wrongPIN'>;
export const outcomes: readonly Outcome[] = [
  'success',
  ...errorConditions.map((condition) => toLowerCamel(condition) as Outcome),
];

/** Checks the outcome that an answer with status 200 reports: `success`, or the errorCondition. */
export const checkOutcome: ExpectationCheck<Outcome> = async (scope, expected) => {
  const request = findCheckedRequest(scope, 'payment', 'givenBack', 'status');
  const ended = check(request, 200);
  const { answer } = request.exchange;
  if (!answer || ended.wrong.length > 0) return ended;
  const outcome = outcomeIn(answer.body);
  const wrong = outcome === expected ? [] : [`outcome: expected ${expected}, was ${outcome}`];
  return { wrong, saw: described(answer), final: true };
};

/**
 * Returns the outcome in an answer. If the answer has no outcome, returns a text that says so. If the answer's result
 * and errorCondition contradict each other, the text names both.
 */
function outcomeIn(body: unknown): string {
  const nexo = nexoOutcomeIn(asRecord(body));
  if (nexo !== undefined) return nexo;
  const { response, kind, ...summary } = asRecord(body);
  const { result, errorCondition } = asRecord(response ?? (kind === undefined ? undefined : summary));
  if (result === null) return 'not there yet';
  if (result === 'failure' && typeof errorCondition === 'string') return String(errorCondition);
  if (result === undefined) return 'not in the answer';
  return errorCondition === undefined || errorCondition === null
    ? String(result)
    : `${result} with errorCondition ${errorCondition}`;
}

function described({ status, headers, body }: HttpAnswer): string {
  const text = typeof body === 'string' ? body : JSON.stringify(withoutReceipts(body));
  return `the answer ${status}${headers.location ? ` (Location: ${headers.location})` : ''} ${text ?? ''}`.trim();
}

/** Leaves out receipts, because they are long and hardly ever explain why an expectation failed. */
function withoutReceipts(body: unknown): unknown {
  if (!body || typeof body !== 'object' || !('paymentReceipt' in body)) return body;
  return { ...body, paymentReceipt: '…' };
}
