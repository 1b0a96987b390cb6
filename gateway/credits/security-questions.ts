import { scrypt, timingSafeEqual } from 'node:crypto';
import type { Runtime } from '../../shared/runtime.ts';
import type { AccountService } from '../accounts/service.ts';
import type { Store } from '../store/store.ts';
import type { SecurityQuestionInput } from './schemas.ts';

/** scrypt's cost; people choose answers that are easily guessed, so each guess has a price. */
const cost = { N: 16_384, r: 8, p: 1 };
const keyLength = 32;

/** What customers of each account are asked; the answers are kept as hashes (decision 40a). */
export class SecurityQuestions {
  #runtime: Runtime;
  #store: Store;
  #accounts: AccountService;

  constructor(runtime: Runtime, store: Store, accounts: AccountService) {
    this.#runtime = runtime;
    this.#store = store;
    this.#accounts = accounts;
  }

  /** @throws ApiError notFound for an unknown account */
  async set(accountId: string, { question, answer }: SecurityQuestionInput): Promise<void> {
    this.#accounts.account(accountId);
    const salt = Buffer.from(this.#runtime.random.bytes(16));
    const hash = await this.#hash(answer, salt);
    const answer_hash = `${salt.toString('base64url')}.${hash.toString('base64url')}`;
    const row = { account_id: accountId, question, answer_hash };
    await this.#store.write((tx) =>
      tx
        .insertInto('security_questions')
        .values(row)
        .onConflict((conflict) => conflict.column('account_id').doUpdateSet(row))
        .execute(),
    );
    this.#runtime.journal.add('control.changed', { what: `security question of ${accountId}` });
  }

  async question(accountId: string): Promise<string | undefined> {
    return (await this.#row(accountId))?.question;
  }

  /** Compares without case and outer spaces, and without telling by its duration how much was right. */
  async isAnswer(accountId: string, answer: string): Promise<boolean> {
    const [salt = '', expected = ''] = (await this.#row(accountId))?.answer_hash.split('.') ?? [];
    if (expected === '') return false;
    const given = await this.#hash(answer, Buffer.from(salt, 'base64url'));
    return timingSafeEqual(given, Buffer.from(expected, 'base64url'));
  }

  #row(accountId: string) {
    return this.#store.read((tx) =>
      tx.selectFrom('security_questions').selectAll().where('account_id', '=', accountId).executeTakeFirst(),
    );
  }

  #hash(answer: string, salt: Buffer): Promise<Buffer> {
    const done = this.#runtime.inFlight.begin();
    const plain = answer.normalize('NFKC').trim().toLowerCase();
    return new Promise<Buffer>((resolve, reject) => {
      scrypt(plain, salt, keyLength, cost, (error, key) => {
        // Whoever waits goes on before the clock does.
        setImmediate(done);
        if (error) reject(error);
        else resolve(key);
      });
    });
  }
}
