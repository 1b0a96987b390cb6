import type { LedgerRow } from '../store/rows/acquirer.ts';

/**
 * The identifier of a terminal's attempt to have its payment authorized; null in entries of version 0.1.0, which did
 * not distinguish attempts.
 */
export type AttemptId = string | null;

/** The result of one attempt. */
export interface Attempt {
  /** The entry that authorized or refunded, or the last refusal. */
  readonly answer?: LedgerRow;
  /** Whether the attempt was reversed, perhaps before it was made: nothing of it counts any more. */
  readonly ended: boolean;
}

/** The attempts in the entries of a payment or a refund. At most one of them is in force (B134). */
export interface LedgerStanding {
  readonly attempts: ReadonlyMap<AttemptId, Attempt>;
  /** Whether no attempt may be authorized any more. */
  readonly closed: boolean;
}

export const noAttempts: LedgerStanding = { attempts: new Map(), closed: false };

/** Gives the attempts after the next entry of their payment. */
export function withEntry({ attempts, closed }: LedgerStanding, entry: LedgerRow): LedgerStanding {
  const { kind, attempt_id: id } = entry;
  const before = attempts.get(id) ?? { ended: false };
  const answers = movesMoney(kind) || kind === 'declined';
  const attempt = answers ? { ...before, answer: entry } : { ...before, ended: true };
  return {
    attempts: new Map(attempts).set(id, attempt),
    closed: closed || (kind === 'closed' && id === null),
  };
}

/** Gives the entry of the authorization or refund that is in force, if there is one. */
export function standingIn({ attempts }: LedgerStanding): LedgerRow | undefined {
  for (const { answer, ended } of attempts.values())
    if (answer && movesMoney(answer.kind) && !ended) return answer;
  return undefined;
}

/** Whether the issuer moved money with an entry of this kind: from the cardholder's account, or to it. */
export function movesMoney(kind: LedgerRow['kind']): boolean {
  return kind === 'authorized' || kind === 'refunded';
}

/** Names the application of a card that pays: two applications of one card may share its number, and its brand. */
export function applicationOf(brand: string, aid: string | undefined): string {
  return aid === undefined ? brand : `${brand} ${aid}`;
}
