import { createHash, scrypt, timingSafeEqual } from 'node:crypto';
import type { Runtime } from '../../shared/runtime.ts';
import type { AccountService } from '../accounts/service.ts';
import type { Store } from '../store/store.ts';
import type { SecurityQuestionInput } from './schemas.ts';

/** The cost of scrypt. People choose answers that are easily guessed, so each guess must be expensive. */
const cost = { N: 16_384, r: 8, p: 1 };
const keyLength = 32;

/**
 * The demo shop's answer (stack/demo-accounts.ts), which is public, with its hash: deriving the hash would take a
 * quarter of a start's CPU time.
 */
const ofDemoShop = [
  '9caQxdkmCik194UrIMCOTI/gnSFGLBg1eZhhn16uTVU=',
  'WJHy8Fcgg-G0NREu5IDnAw.XsmylCHBjRXcmmOW8sOWi0-8eqUNJKGZ4e1WemOZj90',
] as const;

/**
 * The hashes derived before, by account and answer. A test suite that starts a gateway for each of its tests sets the
 * same question every time, and derives its hash only once.
 */
const derived = new Map<string, Promise<string>>([[ofDemoShop[0], Promise.resolve(ofDemoShop[1])]]);
const derivedKept = 100;

interface QuestionParts {
  runtime: Runtime;
  store: Store;
  accounts: AccountService;
}

/** The questions for the customers of each account; the answers are kept as hashes (B99). */
export class SecurityQuestions {
  readonly #parts: QuestionParts;
  /** Questions that are not on disk yet, by account. */
  #pending = new Map<string, Promise<void>>();

  constructor(parts: QuestionParts) {
    this.#parts = parts;
  }

  /**
   * Sets a question, which takes effect at once: requests that need it meanwhile wait. Resolves when the question is on
   * disk.
   *
   * @throws ApiError notFound for an unknown account
   */
  async set(accountId: string, { question, answer }: SecurityQuestionInput): Promise<void> {
    this.#parts.accounts.account(accountId);
    this.#parts.runtime.journal.add('control.changed', { what: `security question of ${accountId}` });
    const former = this.#pending.get(accountId);
    const pending = this.#keep(accountId, question, answer, former);
    this.#pending.set(accountId, pending);
    try {
      await pending;
    } finally {
      if (this.#pending.get(accountId) === pending) this.#pending.delete(accountId);
    }
  }

  async question(accountId: string): Promise<string | undefined> {
    return (await this.#row(accountId))?.question;
  }

  /** Whether the answer is right, compared without case and outer spaces, and in constant time. */
  async isAnswer(accountId: string, answer: string): Promise<boolean> {
    const [salt = '', expected = ''] = (await this.#row(accountId))?.answer_hash.split('.') ?? [];
    if (expected === '') return false;
    const given = await this.#hash(answer, Buffer.from(salt, 'base64url'));
    return timingSafeEqual(given, Buffer.from(expected, 'base64url'));
  }

  async #keep(accountId: string, question: string, answer: string, former: Promise<void> | undefined) {
    const answer_hash = await this.#derived(accountId, answer);
    await former?.catch(() => {}); // the later of two wins
    const row = { account_id: accountId, question, answer_hash };
    await this.#parts.store.write((tx) =>
      tx
        .insertInto('security_questions')
        .values(row)
        .onConflict((conflict) => conflict.column('account_id').doUpdateSet(row))
        .execute(),
    );
  }

  async #row(accountId: string) {
    await this.#pending.get(accountId)?.catch(() => {});
    return this.#parts.store.read((tx) =>
      tx.selectFrom('security_questions').selectAll().where('account_id', '=', accountId).executeTakeFirst(),
    );
  }

  /** Gives a salt, and the answer's hash with it. */
  #derived(accountId: string, answer: string): Promise<string> {
    const salt = Buffer.from(this.#parts.runtime.random.bytes(16)); // drawn even if it is not needed: a seed gives the same run
    const key = createHash('sha256')
      .update(`${accountId}\n${plain(answer)}`)
      .digest('base64');
    let record = derived.get(key);
    if (!record) {
      const hash = this.#hash(answer, salt);
      record = hash.then((bytes) => `${salt.toString('base64url')}.${bytes.toString('base64url')}`);
      if (derived.size >= derivedKept) derived.clear();
      derived.set(key, record);
      record.catch(() => derived.delete(key));
    }
    return record;
  }

  #hash(answer: string, salt: Buffer): Promise<Buffer> {
    const done = this.#parts.runtime.inFlight.begin();
    return new Promise<Buffer>((resolve, reject) => {
      scrypt(plain(answer), salt, keyLength, cost, (error, key) => {
        // Waiting requests continue before the clock does.
        setImmediate(done);
        if (error) reject(error);
        else resolve(key);
      });
    });
  }
}

function plain(answer: string): string {
  return answer.normalize('NFKC').trim().toLowerCase();
}
