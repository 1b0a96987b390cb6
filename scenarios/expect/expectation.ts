import type { LinkCustomer } from '../environment/link-customer.ts';
import type { Pos } from '../environment/pos.ts';
import type { Receivers } from '../environment/receivers.ts';
import { type ScenarioContext, ScenarioError } from '../environment/scenario-context.ts';
import type { SentRequest, SentRequestKind } from '../environment/sent-request.ts';
import { differences, type ExpectedValue, explainDifference } from './match.ts';
import type { StoredValues } from './stored-values.ts';

/** The objects that an expectation can check. */
export interface ExpectationScope {
  readonly context: ScenarioContext;
  readonly pos: Pos;
  readonly receivers: Receivers;
  /** The customer at payment links. */
  readonly customer: LinkCustomer;
  /** The stored values with which `{ stored: NAME }` compares. */
  readonly stored?: StoredValues;
  /**
   * The request that the expectation checks, or its name. If absent, this is the latest request of a suitable kind.
   */
  readonly of: SentRequest | string | undefined;
  /** The terminal that the expectation checks. If the scenario names no terminal, this is the first terminal. */
  readonly terminal: string | undefined;
}

/** The result of one check of an expectation. */
export interface CheckResult {
  /** The differences in words. There are none if the expectation is true. */
  readonly wrong: readonly string[];
  /** A description of the actual value. It helps to find the reason for a failure. */
  readonly saw?: string;
  /** True if the result cannot change any more, so the step can stop waiting. */
  readonly final?: boolean;
}

/**
 * One kind of expectation. Each call checks the expectation once. The scheduler repeats the call until the
 * expectation is true.
 */
export type ExpectationCheck<Expected> = (
  scope: ExpectationScope,
  expected: Expected,
) => Promise<CheckResult>;

/** Compares two values, and returns the differences as lines that begin with a name. */
export function describeDifferences(name: string, wanted: ExpectedValue, actual: unknown): string[] {
  return differences(wanted, actual, name).map(explainDifference);
}

/**
 * Returns the request that an expectation checks: the named request, or the latest request of these kinds.
 *
 * @throws ScenarioError if there is no such request
 */
export function findCheckedRequest({ of, pos }: ExpectationScope, ...kinds: SentRequestKind[]): SentRequest {
  if (typeof of === 'object') return of;
  const found = pos.sent.findLast((one) =>
    of === undefined ? kinds.length === 0 || kinds.includes(one.kind) : one.name === of,
  );
  if (found) return found;
  const names = pos.sent.flatMap(({ name }) => name ?? []).join(', ') || 'none';
  throw new ScenarioError(
    of === undefined
      ? 'no such request was sent yet'
      : `no request is called ${of}; the requests so far are called ${names}`,
  );
}

/** Returns the name of a request for failure messages. */
export function describeSentRequest(request: SentRequest): string {
  const { method, path } = request.exchange.request;
  return request.name ?? `${method} ${path}`;
}
