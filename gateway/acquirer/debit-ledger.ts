import type { LedgerRow } from '../store/rows/acquirer.ts';
import type { Tx, Unit } from '../store/schema.ts';
import type { Ledger, LedgerSubject } from './ledger.ts';

/** What an issuer answers: approving, or a refusal; and which rule made it so, in words. */
export interface IssuerAnswer {
  rule: string;
  why: string;
  refusal?: { declineCode: string; responseCode: string; message: string };
}

/** What the entries of a debit come to; whole minor units. */
interface DebitStanding {
  authorized: LedgerRow | undefined;
  /** The authorization was taken back. */
  reversed: boolean;
  captured: number;
  /** Taken for the cardholder and not returned. */
  refunded: number;
}

/**
 * The issuer's side of debits of saved cards, in the same book as that of terminal payments. It does not trust its
 * callers: at most one authorization and one capture per debit, never more refunded than captured. What would break
 * that throws, and the caller's change is undone with it.
 */
export class DebitLedger {
  readonly #ledger: Ledger;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Authorizes or declines; the first entry of a debit. */
  async authorize(
    unit: Unit,
    debit: LedgerSubject,
    amount: number,
    answer: IssuerAnswer,
  ): Promise<LedgerRow> {
    const entries = await this.#ledger.entries(unit, debit.id);
    insist(entries.length === 0, `debit ${debit.id} was authorized or declined before`);
    if (answer.refusal) return this.#decline(unit, debit, amount, answer);
    const { rule, why } = answer;
    const auth_code = this.#ledger.authCode();
    return this.#ledger.append(unit, debit, { kind: 'authorized', amount, auth_code, rule, why });
  }

  /** Pays out what was authorized. A refusal is an entry too, and the authorization is taken back. */
  async capture(unit: Unit, debit: LedgerSubject, answer: IssuerAnswer): Promise<LedgerRow[]> {
    const { authorized, reversed, captured } = await this.standing(unit, debit.id);
    insist(authorized && !reversed && captured === 0, `debit ${debit.id} holds nothing to capture`);
    const { amount, psp_reference } = authorized;
    if (answer.refusal) {
      const declined = await this.#decline(unit, debit, amount, answer);
      return [declined, await this.release(unit, debit, 'its capture was declined')];
    }
    const { rule, why } = answer;
    return [await this.#ledger.append(unit, debit, { kind: 'captured', amount, psp_reference, rule, why })];
  }

  /** Takes an authorization back that was not captured. */
  async release(unit: Unit, debit: LedgerSubject, why: string): Promise<LedgerRow> {
    const { authorized, reversed, captured } = await this.standing(unit, debit.id);
    insist(authorized && !reversed && captured === 0, `debit ${debit.id} holds nothing to release`);
    const { amount, psp_reference } = authorized;
    return this.#ledger.append(unit, debit, {
      kind: 'reversed',
      amount,
      psp_reference,
      rule: 'release',
      why,
    });
  }

  /** Takes money of a captured debit back for the cardholder. */
  async refund(
    unit: Unit,
    debit: LedgerSubject,
    refund: { id: string; amount: number },
    why: string,
  ): Promise<LedgerRow> {
    const { captured, refunded } = await this.standing(unit, debit.id);
    insist(refunded + refund.amount <= captured, `debit ${debit.id} has less than that left to refund`);
    const { id: refund_id, amount } = refund;
    return this.#ledger.append(unit, debit, { kind: 'refunded', amount, refund_id, rule: 'refund', why });
  }

  /** Gives the money of a refund back to the merchant: the cardholder's bank did not take it. */
  async return(
    unit: Unit,
    debit: LedgerSubject,
    refund: { id: string; amount: number },
    why: string,
  ): Promise<LedgerRow> {
    const entries = await this.#ledger.entries(unit, debit.id);
    const moved = entries.find((entry) => entry.kind === 'refunded' && entry.refund_id === refund.id);
    insist(moved?.amount === refund.amount, `refund ${refund.id} moved no such amount`);
    const { id: refund_id, amount } = refund;
    const { psp_reference } = moved;
    return this.#ledger.append(unit, debit, {
      kind: 'returned',
      amount,
      refund_id,
      psp_reference,
      rule: 'return',
      why,
    });
  }

  async standing(tx: Tx, debitId: string): Promise<DebitStanding> {
    const standing: DebitStanding = { authorized: undefined, reversed: false, captured: 0, refunded: 0 };
    for (const entry of await this.#ledger.entries(tx, debitId)) {
      if (entry.kind === 'authorized') standing.authorized = entry;
      else if (entry.kind === 'captured') standing.captured += entry.amount;
      else if (entry.kind === 'refunded') standing.refunded += entry.amount;
      else if (entry.kind === 'returned') standing.refunded -= entry.amount;
      else if (entry.kind !== 'declined') standing.reversed = true;
    }
    return standing;
  }

  /** Journals committed entries. */
  journal(entries: readonly LedgerRow[]): void {
    for (const entry of entries) this.#ledger.journal(entry, undefined);
  }

  #decline(unit: Unit, debit: LedgerSubject, amount: number, answer: IssuerAnswer): Promise<LedgerRow> {
    const { rule, why, refusal } = answer;
    return this.#ledger.append(unit, debit, {
      kind: 'declined',
      amount,
      rule,
      why,
      error_condition: 'Refusal',
      refusal_reason: `${refusal?.responseCode} ${refusal?.message}`,
      message: refusal?.declineCode ?? null,
    });
  }
}

function insist(holds: unknown, otherwise: string): asserts holds {
  if (!holds) throw new Error(`the acquirer's ledger refuses it: ${otherwise}`);
}
