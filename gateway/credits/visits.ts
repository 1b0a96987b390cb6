import { hashSecret, makeSecret } from '../accounts/secret.ts';
import type { CreditRow, VerifiedCreditVisitorRow } from '../store/rows/credits.ts';
import type { StoreParts } from '../store/store.ts';
import type { BankDetails } from './bank-details.ts';
import { makeVisitJournalEffect } from './core/step.ts';
import { countTriesLeft } from './core/visiting.ts';
import { findLinkLockEnd, isLinkOpen } from './credit-facts.ts';
import type { CreditInputQueue } from './credit-input-queue.ts';
import { readCreditByToken, readVisit } from './rows.ts';
import type { SecurityQuestions } from './security-questions.ts';

/** The result of a customer's answer to the question. */
type Answered =
  | { right: true; visitSecret: string }
  | { right: false; triesLeft: number }
  | { right: false; lockedUntil: number }
  | { right: false; gone: true };

interface VisitParts extends StoreParts {
  turns: CreditInputQueue;
  questions: SecurityQuestions;
}

/**
 * Keeps the visits of customers at payment links. A visit begins when the customer gives the right answer. The visit
 * records the bank account that the customer names.
 */
export class PaymentLinkVisits {
  readonly #parts: VisitParts;

  constructor(parts: VisitParts) {
    this.#parts = parts;
  }

  /** Gives the credit of a link; undefined if the link cannot be used any more. */
  async find(secret: string): Promise<CreditRow | undefined> {
    const credit = await this.#parts.store.read((tx) => readCreditByToken(tx, hashSecret(secret)));
    return credit && isLinkOpen(credit, this.#parts.runtime.clock) ? credit : undefined;
  }

  /**
   * Gives the time until which the link is locked after too many wrong answers; undefined if the link is not locked.
   */
  lockedUntil(credit: CreditRow): number | undefined {
    const { clock, timeouts } = this.#parts.runtime;
    return findLinkLockEnd(credit, clock, timeouts.securityLockMs);
  }

  /**
   * Finds the visit of a browser that gave the right answer. The secret in the browser's cookie identifies the visit.
   */
  visit(credit: CreditRow, visitSecret: string): Promise<VerifiedCreditVisitorRow | undefined> {
    return this.#parts.store.read((tx) => readVisit(tx, credit, hashSecret(visitSecret)));
  }

  /**
   * Checks an answer. The answer is counted before it is checked. So every answer is counted, even if several answers
   * arrive at once.
   */
  async answer({ id, account_id }: CreditRow, answer: string): Promise<Answered> {
    const { turns, questions, runtime } = this.#parts;
    const { state, refused } = await turns.put(id, { is: 'answerTried' });
    if (refused?.is === 'locked') return { right: false, lockedUntil: refused.until };
    if (refused || state.is === 'none') return { right: false, gone: true };
    if (!(await questions.isAnswer(account_id, answer))) {
      const { wrong_answers, locked_until } = state.credit;
      turns.perform([
        makeVisitJournalEffect(id, locked_until === null ? 'a wrong answer' : 'a wrong answer; locked'),
      ]);
      return locked_until === null
        ? { right: false, triesLeft: countTriesLeft(wrong_answers) }
        : { right: false, lockedUntil: locked_until };
    }
    const visitSecret = makeSecret(runtime.random, '');
    const visit: VerifiedCreditVisitorRow = {
      id: hashSecret(visitSecret),
      credit_id: id,
      bank_kind: null,
      bank_masked: null,
      bank_refuses: 0,
      answered_at: runtime.clock.now(),
    };
    await turns.put(id, { is: 'answeredRight', visit });
    return { right: true, visitSecret };
  }

  /** Stores the last digits of the bank account that a customer named, or removes them. */
  async name(visit: VerifiedCreditVisitorRow, bank: BankDetails | undefined): Promise<void> {
    await this.#parts.turns.put(visit.credit_id, { is: 'bankNamed', visitId: visit.id, bank });
  }
}
