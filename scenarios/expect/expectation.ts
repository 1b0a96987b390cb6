import type { LinkCustomer } from '../environment/link-customer.ts';
import type { Pos } from '../environment/pos.ts';
import type { Receivers } from '../environment/receivers.ts';
import { type ScenarioContext, ScenarioError } from '../environment/scenario-context.ts';
import type { SentKind, SentRequest } from '../environment/sent-request.ts';
import { differences, explainDifference, type Wanted } from './match.ts';
import type { StoredValues } from './stored-values.ts';

/** What an expectation looks at. */
export interface ExpectationScope {
  readonly context: ScenarioContext;
  readonly pos: Pos;
  readonly receivers: Receivers;
  /** The customer at payment links. */
  readonly customer: LinkCustomer;
  /** What scenarios store to compare with (`{ stored: NAME }`). */
  readonly stored?: StoredValues;
  /** The request it is about, or its name; the latest one that fits where none is given. */
  readonly of: SentRequest | string | undefined;
  /** The terminal it is about; the first one where the scenario names none. */
  readonly terminal: string | undefined;
}

/** What one look found. */
export interface CheckResult {
  /** Differences in words; none when it fits. */
  readonly wrong: readonly string[];
  /** What there is instead, to find out why. */
  readonly saw?: string;
  /** Waiting longer will not help. */
  readonly final?: boolean;
}

/** One kind of expectation: looks once; the scheduler looks again while it does not fit. */
export type Expectation<Expected> = (scope: ExpectationScope, expected: Expected) => Promise<CheckResult>;

/** Compares, and lists the differences under a name. */
export function compared(name: string, wanted: Wanted, actual: unknown): string[] {
  return differences(wanted, actual, name).map(explainDifference);
}

/** The request an expectation is about: the named one, or the latest of these kinds. @throws where there is none */
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

/** What a request is called in a failure. */
export function sentRequestName(request: SentRequest): string {
  const { method, path } = request.exchange.request;
  return request.name ?? `${method} ${path}`;
}
