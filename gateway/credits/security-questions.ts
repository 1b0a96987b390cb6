import { createHash, scrypt, timingSafeEqual } from 'node:crypto';
import type { AccountService } from '../accounts/service.ts';
import type { StoreParts } from '../store/store.ts';
import type { SecurityQuestionInput } from './schemas.ts';

/**
 * The cost parameters of scrypt. Many people choose an answer that is easy to guess, so the check of each guess must
 * take time.
 */
const cost = { N: 16_384, r: 8, p: 1 };
const keyLength = 32;

/**
 * The answers to two shops' security questions, each with its hash. One of the shops is the demo shop
 * (stack/demo-accounts.ts); the other is the shop that scenarios and tests use
 * (scenarios/environment/config-of-needs.ts). These answers are public, so their hashes may be public too. If the
 * gateway computed one of these hashes at each start, this would take a quarter of the CPU time of the start.
 */
const knownHashes = [
  [
    '9caQxdkmCik194UrIMCOTI/gnSFGLBg1eZhhn16uTVU=',
    'WJHy8Fcgg-G0NREu5IDnAw.XsmylCHBjRXcmmOW8sOWi0-8eqUNJKGZ4e1WemOZj90',
  ],
  [
    'gwra6+taAGWiMEHnB37gfZVQGq9mUInXXZykVpWcg78=',
    '_cidePZpQtzARcH7FWjLAg.Mob0EcMj7ojPKYQ3pwo2BHy98865dyxm39I46APfUYY',
  ],
] as const;

/**
 * The computed hashes, by account and answer. A test suite may start a gateway for each test with the same question.
 * The hash is then computed only once.
 */
const derived = new Map<string, Promise<string>>(
  knownHashes.map(([answer, hash]) => [answer, Promise.resolve(hash)]),
);
const derivedKept = 100;

interface QuestionParts extends StoreParts {
  accounts: AccountService;
}

/** Keeps the security questions of accounts, and hashes of the answers. The answers themselves are not stored (B99). */
export class SecurityQuestions {
  readonly #parts: QuestionParts;
  /**
   * For each account with a new question that is not stored yet: a promise that resolves when the question is stored.
   */
  #pending = new Map<string, Promise<void>>();

  constructor(parts: QuestionParts) {
    this.#parts = parts;
  }

  /**
   * Sets a question. The new question applies at once, because requests that need it wait until it is stored. Resolves
   * when the question is on disk.
   *
   * @throws ApiError notFound if the account does not exist
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

  /**
   * Returns whether the answer is right. The comparison ignores upper and lower case, and spaces before and after the
   * answer. The duration of the comparison reveals nothing about the right answer.
   */
  async isAnswer(accountId: string, answer: string): Promise<boolean> {
    const [salt = '', expected = ''] = (await this.#row(accountId))?.answer_hash.split('.') ?? [];
    if (expected === '') return false;
    const given = await this.#hash(answer, Buffer.from(salt, 'base64url'));
    return timingSafeEqual(given, Buffer.from(expected, 'base64url'));
  }

  async #keep(accountId: string, question: string, answer: string, former: Promise<void> | undefined) {
    const answer_hash = await this.#derived(accountId, answer);
    // If an earlier question is still being stored, the new question is stored after it.
    await former?.catch(() => {});
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

  /** Computes the hash of an answer. Gives the salt and the hash in one text. */
  #derived(accountId: string, answer: string): Promise<string> {
    // The salt is drawn even if the hash is already known. So a seed always gives the same sequence of random numbers.
    const salt = Buffer.from(this.#parts.runtime.random.bytes(16));
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
        // The requests that wait for the hash must continue before the clock moves.
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
