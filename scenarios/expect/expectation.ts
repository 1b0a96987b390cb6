import { differences, explainDifference, type Wanted } from '../match/match.ts';
import type { LinkVisitor } from '../stage/link-visitor.ts';
import type { Pos } from '../stage/pos.ts';
import type { Receivers } from '../stage/receivers.ts';
import type { SentKind, SentRequest } from '../stage/sent-request.ts';
import { type Stage, StageError } from '../stage/stage.ts';
import type { StoredValues } from '../stored/stored-values.ts';

/** What an expectation looks at. */
export interface Scene {
  readonly stage: Stage;
  readonly pos: Pos;
  readonly receivers: Receivers;
  /** The customer at payment links. */
  readonly customer: LinkVisitor;
  /** What stories store to compare with (`{ stored: NAME }`). */
  readonly stored?: StoredValues;
  /** The request it is about, or its name; the latest one that fits where none is given. */
  readonly of: SentRequest | string | undefined;
  /** The terminal it is about; the first one where the story names none. */
  readonly terminal: string | undefined;
}

/** What one look found. */
export interface Look {
  /** Differences in words; none when it fits. */
  readonly wrong: readonly string[];
  /** What there is instead, for whoever has to find out why. */
  readonly saw?: string;
  /** Waiting longer will not help. */
  readonly final?: boolean;
}

/** One kind of expectation: looks once; the director looks again while it does not fit. */
export type Expectation<Wish> = (scene: Scene, wish: Wish) => Promise<Look>;

/** Compares, and tells the differences under a name. */
export function compared(name: string, wanted: Wanted, actual: unknown): string[] {
  return differences(wanted, actual, name).map(explainDifference);
}

/** The request an expectation is about: the named one, or the latest of these kinds. @throws where there is none */
export function requestOf({ of, pos }: Scene, ...kinds: SentKind[]): SentRequest {
  if (typeof of === 'object') return of;
  const found = pos.sent.findLast((one) =>
    of === undefined ? kinds.length === 0 || kinds.includes(one.kind) : one.name === of,
  );
  if (found) return found;
  const names = pos.sent.flatMap(({ name }) => name ?? []).join(', ') || 'none';
  throw new StageError(
    of === undefined ? 'no such request was sent yet' : `no request is called ${of}; named so far: ${names}`,
  );
}

/** What a request is called in a failure. */
export function nameOf(request: SentRequest): string {
  const { method, path } = request.exchange.request;
  return request.name ?? `${method} ${path}`;
}
