import type { Runtime } from '../../shared/runtime.ts';
import { hashSecret, makeSecret } from '../accounts/secret.ts';
import type { CreditRow, CreditVisitRow } from '../store/rows/credits.ts';
import type { Tx } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import type { BankDetails } from './bank-details.ts';
import { creditById, creditByToken, updateCredit, visitOf } from './rows.ts';
import type { SecurityQuestions } from './security-questions.ts';
import { isOpen } from './service.ts';

/** So many wrong answers lock a link (B100). */
const mostAnswers = 3;

/** What came of an answer. */
type Answered =
  | { right: true; visitSecret: string }
  | { right: false; triesLeft: number }
  | { right: false; lockedUntil: number }
  | { right: false; gone: true };

/** Customers at their links: who has answered, and which bank account they named so far. */
export class LinkVisits {
  #runtime: Runtime;
  #store: Store;
  #questions: SecurityQuestions;

  constructor(runtime: Runtime, store: Store, questions: SecurityQuestions) {
    this.#runtime = runtime;
    this.#store = store;
    this.#questions = questions;
  }

  /** The credit of a link that can still be used. */
  async find(secret: string): Promise<CreditRow | undefined> {
    const credit = await this.#store.read((tx) => creditByToken(tx, hashSecret(secret)));
    return credit && isOpen(credit, this.#runtime.clock) ? credit : undefined;
  }

  /** The end of the lock after too many wrong answers. */
  lockedUntil({ locked_until }: CreditRow): number | undefined {
    if (locked_until === null) return undefined;
    const { clock, timeouts } = this.#runtime;
    const leftMs = timeouts.securityLockMs - clock.elapsedSince(locked_until - timeouts.securityLockMs);
    return leftMs > 0 ? clock.now() + leftMs : undefined;
  }

  /** The visit of a browser that has answered, by the secret in its cookie. */
  visit(credit: CreditRow, visitSecret: string): Promise<CreditVisitRow | undefined> {
    return this.#store.read((tx) => visitOf(tx, credit, hashSecret(visitSecret)));
  }

  /**
   * Tries an answer. The try is counted before it is looked at, so that many at once are no more than many in turn.
   */
  async answer({ id, account_id }: CreditRow, answer: string): Promise<Answered> {
    const counted = await this.#store.write((tx) => this.#countTry(tx, id));
    if ('right' in counted) return counted;
    if (!(await this.#questions.isAnswer(account_id, answer))) {
      this.#journal(id, counted.triesLeft > 0 ? 'a wrong answer' : 'a wrong answer; locked');
      return counted.lockedUntil === undefined
        ? { right: false, triesLeft: counted.triesLeft }
        : { right: false, lockedUntil: counted.lockedUntil };
    }
    const visitSecret = makeSecret(this.#runtime.random, '');
    await this.#store.write(async (tx) => {
      await updateCredit(tx, { id, wrong_answers: 0, locked_until: null });
      const visit: CreditVisitRow = {
        id: hashSecret(visitSecret),
        credit_id: id,
        bank_kind: null,
        bank_masked: null,
        bank_refuses: 0,
        answered_at: this.#runtime.clock.now(),
      };
      await tx.insertInto('credit_visits').values(visit).execute();
    });
    this.#journal(id, 'the right answer');
    return { right: true, visitSecret };
  }

  /** Keeps the end of the bank account a customer named, or forgets it. */
  async name(visit: CreditVisitRow, details: BankDetails | undefined): Promise<void> {
    await this.#store.write((tx) =>
      tx
        .updateTable('credit_visits')
        .set({
          bank_kind: details?.kind ?? null,
          bank_masked: details?.masked ?? null,
          bank_refuses: details?.refuses ? 1 : 0,
        })
        .where('id', '=', visit.id)
        .execute(),
    );
    if (details) this.#journal(visit.credit_id, 'bank details entered');
  }

  async #countTry(
    tx: Tx,
    id: string,
  ): Promise<Exclude<Answered, { right: true }> | { triesLeft: number; lockedUntil: number | undefined }> {
    const now = this.#runtime.clock.now();
    const credit = await creditById(tx, id);
    if (!credit || !isOpen(credit, this.#runtime.clock)) return { right: false, gone: true };
    const lockedUntil = this.lockedUntil(credit);
    if (lockedUntil !== undefined) return { right: false, lockedUntil };
    const expired = credit.locked_until !== null;
    const wrong_answers = (expired ? 0 : credit.wrong_answers) + 1;
    const triesLeft = mostAnswers - wrong_answers;
    const locked_until = triesLeft > 0 ? null : now + this.#runtime.timeouts.securityLockMs;
    await updateCredit(tx, { id, wrong_answers, locked_until });
    return { triesLeft, lockedUntil: locked_until ?? undefined };
  }

  #journal(creditId: string, what: string): void {
    this.#runtime.journal.add('credit.visited', { what }, { payment: creditId, unauthenticated: true });
  }
}
