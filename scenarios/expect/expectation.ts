import type { LinkCustomer } from '../environment/link-customer.ts';
import type { Pos } from '../environment/pos.ts';
import type { Receivers } from '../environment/receivers.ts';
import { type ScenarioContext, ScenarioError } from '../environment/scenario-context.ts';
import type { SentKind, SentRequest } from '../environment/sent-request.ts';
import { differences, explainDifference, type Wanted } from './match.ts';
import type { StoredValues } from './stored-values.ts';

/** The things that an expectation looks at. */
export interface ExpectationScope {
  readonly context: ScenarioContext;
  readonly pos: Pos;
  readonly receivers: Receivers;
  /** The customer at payment links. */
  readonly customer: LinkCustomer;
  /** The values that scenarios store to compare with (`{ stored: NAME }`). */
  readonly stored?: StoredValues;
  /** The request that it is about, or its name; if absent, the latest one that fits. */
  readonly of: SentRequest | string | undefined;
  /** The terminal that it is about; the first one if the scenario names none. */
  readonly terminal: string | undefined;
}

/** The result of one look. */
export interface CheckResult {
  /** The differences in words; none if it fits. */
  readonly wrong: readonly string[];
  /** The things that are there instead, to find out why. */
  readonly saw?: string;
  /** Whether waiting longer will not help. */
  readonly final?: boolean;
}

/** One kind of expectation. It looks once; the scheduler looks again as long as it does not fit. */
export type Expectation<Expected> = (scope: ExpectationScope, expected: Expected) => Promise<CheckResult>;

/** Compares, and lists the differences with a name in front. */
export function compared(name: string, wanted: Wanted, actual: unknown): string[] {
  return differences(wanted, actual, name).map(explainDifference);
}

/**
 * The request that an expectation is about: the named one, or the latest of these kinds.
 *
 * @throws ScenarioError if there is none
 */
export function requestOf({ of, pos }: ExpectationScope, ...kinds: SentKind[]): SentRequest {
  if (typeof of === 'object') return of;
  const found = pos.sent.findLast((one) =>
    of === undefined ? kinds.length === 0 || kinds.includes(one.kind) : one.name === of,
  );
  if (found) return found;
  const names = pos.sent.flatMap(({ name }) => name ?? []).join(', ') || 'none';
  throw new ScenarioError(
    of === undefined ? 'no such request was sent yet' : `no request is called ${of}; named so far: ${names}`,
  );
}

/** The name of a request in a failure. */
export function sentRequestName(request: SentRequest): string {
  const { method, path } = request.exchange.request;
  return request.name ?? `${method} ${path}`;
}
