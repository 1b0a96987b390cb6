import type { LedgerRow } from '../store/rows/acquirer.ts';

/**
 * The identifier of a terminal's attempt to have its payment authorized. It is null in entries of version 0.1.0, which
 * did not distinguish attempts.
 */
export type AttemptId = string | null;

/** The result of one attempt. */
export interface Attempt {
  /** The entry of the approval or of the last refusal. */
  readonly answer?: LedgerRow;
  /**
   * Whether the attempt was reversed. A reversed attempt moves no money. The reversal may even have arrived before the
   * attempt.
   */
  readonly ended: boolean;
}

/** The attempts of a payment or refund, made from its entries in the ledger. At most one attempt is in force (B134). */
export interface PaymentAttempts {
  readonly byId: ReadonlyMap<AttemptId, Attempt>;
  /** True if no further attempt may be authorized. */
  readonly closed: boolean;
}

export const noAttempts: PaymentAttempts = { byId: new Map(), closed: false };

/** Adds an entry of the ledger to the attempts of its payment, and returns the new attempts. */
export function withLedgerEntry({ byId, closed }: PaymentAttempts, entry: LedgerRow): PaymentAttempts {
  const { kind, attempt_id: id } = entry;
  const before = byId.get(id) ?? { ended: false };
  const answers = movesMoney(kind) || kind === 'declined';
  const attempt = answers ? { ...before, answer: entry } : { ...before, ended: true };
  return {
    byId: new Map(byId).set(id, attempt),
    closed: closed || (kind === 'closed' && id === null),
  };
}

/** Returns the entry of the authorization or refund that is in force; undefined if there is none. */
export function findEntryInForce({ byId }: PaymentAttempts): LedgerRow | undefined {
  for (const { answer, ended } of byId.values())
    if (answer && movesMoney(answer.kind) && !ended) return answer;
  return undefined;
}

/** Returns whether an entry of this kind moved money to or from the cardholder's account. */
export function movesMoney(kind: LedgerRow['kind']): boolean {
  return kind === 'authorized' || kind === 'refunded';
}

/**
 * Names the card application with which the cardholder pays. One card may have two applications with the same number
 * and brand, so the name includes the AID.
 */
export function cardApplicationName(brand: string, aid: string | undefined): string {
  return aid === undefined ? brand : `${brand} ${aid}`;
}
