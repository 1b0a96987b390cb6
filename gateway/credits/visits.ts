import type { Runtime } from '../../shared/runtime.ts';
import { hashSecret, makeSecret } from '../accounts/secret.ts';
import type { CreditRow, CreditVisitRow } from '../store/rows/credits.ts';
import { applied, type Store } from '../store/store.ts';
import type { BankDetails } from './bank-details.ts';
import type { CreditLanes, CreditStep } from './credit-lanes.ts';
import { creditByToken, visitOf } from './rows.ts';
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

/** What came of a try before its answer was looked at. */
type Counted = Exclude<Answered, { right: true }> | { triesLeft: number; lockedUntil: number | undefined };

interface VisitParts {
  runtime: Runtime;
  store: Store;
  lanes: CreditLanes;
  questions: SecurityQuestions;
}

/** Customers at their links: who has answered, and which bank account they named so far. */
export class LinkVisits {
  readonly #parts: VisitParts;

  constructor(parts: VisitParts) {
    this.#parts = parts;
  }

  /** The credit of a link that can still be used. */
  async find(secret: string): Promise<CreditRow | undefined> {
    const credit = await this.#parts.store.read((tx) => creditByToken(tx, hashSecret(secret)));
    return credit && isOpen(credit, this.#parts.runtime.clock) ? credit : undefined;
  }

  /** The end of the lock after too many wrong answers. */
  lockedUntil({ locked_until }: CreditRow): number | undefined {
    if (locked_until === null) return undefined;
    const { clock, timeouts } = this.#parts.runtime;
    const leftMs = timeouts.securityLockMs - clock.elapsedSince(locked_until - timeouts.securityLockMs);
    return leftMs > 0 ? clock.now() + leftMs : undefined;
  }

  /** The visit of a browser that has answered, by the secret in its cookie. */
  visit(credit: CreditRow, visitSecret: string): Promise<CreditVisitRow | undefined> {
    return this.#parts.store.read((tx) => visitOf(tx, credit, hashSecret(visitSecret)));
  }

  /**
   * Tries an answer. The try is counted before it is checked, so that concurrent tries count as sequential ones do.
   */
  async answer({ id, account_id }: CreditRow, answer: string): Promise<Answered> {
    const counted = await this.#parts.lanes.turn(id, (credit) => this.#countTry(credit));
    if ('right' in counted) return counted;
    if (!(await this.#parts.questions.isAnswer(account_id, answer))) {
      this.#journal(id, counted.triesLeft > 0 ? 'a wrong answer' : 'a wrong answer; locked');
      return counted.lockedUntil === undefined
        ? { right: false, triesLeft: counted.triesLeft }
        : { right: false, lockedUntil: counted.lockedUntil };
    }
    const visitSecret = makeSecret(this.#parts.runtime.random, '');
    const visit: CreditVisitRow = {
      id: hashSecret(visitSecret),
      credit_id: id,
      bank_kind: null,
      bank_masked: null,
      bank_refuses: 0,
      answered_at: this.#parts.runtime.clock.now(),
    };
    await this.#parts.lanes.turn(id, () => ({
      changes: [
        { update: 'credits', where: { id }, set: { wrong_answers: 0, locked_until: null } },
        { insert: 'credit_visits', row: visit },
      ],
      result: undefined,
    }));
    this.#journal(id, 'the right answer');
    return { right: true, visitSecret };
  }

  /** Keeps the end of the bank account a customer named, or forgets it. */
  async name(visit: CreditVisitRow, details: BankDetails | undefined): Promise<void> {
    const set = {
      bank_kind: details?.kind ?? null,
      bank_masked: details?.masked ?? null,
      bank_refuses: details?.refuses ? 1 : 0,
    };
    // It is gone where the link was used up meanwhile.
    const where = { id: visit.id };
    await applied(this.#parts.store.commit([{ update: 'credit_visits', where, set, rows: 'any' }]));
    if (details) this.#journal(visit.credit_id, 'bank details entered');
  }

  #countTry(credit: CreditRow | undefined): CreditStep<Counted> {
    const { clock, timeouts } = this.#parts.runtime;
    if (!credit || !isOpen(credit, clock)) return { changes: [], result: { right: false, gone: true } };
    const lockedUntil = this.lockedUntil(credit);
    if (lockedUntil !== undefined) return { changes: [], result: { right: false, lockedUntil } };
    const expired = credit.locked_until !== null;
    const wrong_answers = (expired ? 0 : credit.wrong_answers) + 1;
    const triesLeft = mostAnswers - wrong_answers;
    const locked_until = triesLeft > 0 ? null : clock.now() + timeouts.securityLockMs;
    const where = { id: credit.id, wrong_answers: credit.wrong_answers };
    return {
      changes: [{ update: 'credits', where, set: { wrong_answers, locked_until } }],
      result: { triesLeft, lockedUntil: locked_until ?? undefined },
    };
  }

  #journal(creditId: string, what: string): void {
    this.#parts.runtime.journal.add('credit.visited', { what }, { payment: creditId, unauthenticated: true });
  }
}
