import { KeyIndex } from '../../../shared/key-index.ts';
import type { Runtime } from '../../../shared/runtime.ts';
import type { Owner } from '../../store/ownership.ts';
import type { PaymentRow } from '../../store/rows/payments.ts';
import type { Store } from '../../store/store.ts';
import {
  type ConcludedKey,
  concludedKeys,
  type FoundPayment,
  findByKey,
  neverReachedTerminal,
  openKeys,
} from './rows.ts';

/**
 * The stored use of a key: its payment, which repeated requests find until the key expires, and the number of its next
 * payment.
 */
interface KeyUse {
  former: FoundPayment | undefined;
  nextUse: number;
  /** Set if only memory was asked: another gateway may have accepted a payment with the key. */
  isGuess?: true;
}

interface KeysParts {
  runtime: Runtime;
  store: Store;
}

/**
 * Keeps the idempotency keys that have not expired (B58). Memory knows which keys are new, so a payment with a new key
 * needs no read. For every other key the store decides, and corrects memory if that is wrong.
 */
export class IdempotencyKeys {
  readonly #parts: KeysParts;
  readonly #index: KeyIndex;
  /**
   * The keys of requests under way, each with the end of its work. A second request with the key waits for that, and
   * finds the first one's result.
   */
  readonly #reserved = new Map<string, Promise<unknown>>();

  private constructor(parts: KeysParts) {
    this.#parts = parts;
    this.#index = new KeyIndex(parts.runtime.timeouts.idempotencyMs);
  }

  /**
   * Resolves when all keys are known, or, if there are very many, when the first ones are; the rest is read in the
   * background.
   */
  static async open(parts: KeysParts): Promise<IdempotencyKeys> {
    const keys = new IdempotencyKeys(parts);
    await keys.#fill();
    return keys;
  }

  /** Works on one request of this key at a time. The next request with the key begins when `work` is over. */
  async alone<Result>(owner: Owner, key: string, work: () => Promise<Result>): Promise<Result> {
    const name = nameOf(owner, key);
    for (let first = this.#reserved.get(name); first; first = this.#reserved.get(name)) await first;
    const working = work();
    const over = () => this.#reserved.delete(name);
    this.#reserved.set(name, working.then(over, over));
    return working;
  }

  /** Finds the use of a key. For a new key, the store is not asked. */
  async find(owner: Owner, key: string): Promise<KeyUse> {
    if (this.#index.isNew(nameOf(owner, key)))
      return { former: undefined, nextUse: 0, ...(this.#parts.store.isShared && { isGuess: true }) };
    return this.stored(owner, key);
  }

  async stored(owner: Owner, key: string): Promise<KeyUse> {
    const row = await this.#parts.store.read((db) => findByKey(db, owner, key));
    if (!row) return { former: undefined, nextUse: 0 };
    const { clock, timeouts } = this.#parts.runtime;
    const lives =
      row.concluded_at === null ||
      (clock.elapsedSince(row.concluded_at) < timeouts.idempotencyMs && !neverReachedTerminal(row));
    return { former: lives ? row : undefined, nextUse: row.key_use + 1 };
  }

  /** Notes that the key's payment is stored. */
  used(owner: Owner, key: string): void {
    this.#add(owner, key, 'open');
  }

  /** Notes that the key's payment is concluded: from now on the key's lifetime counts. */
  concluded(owner: Owner, key: string): void {
    this.#add(owner, key, 'counts');
  }

  async #fill(): Promise<void> {
    const { store, runtime } = this.#parts;
    // Other gateways use keys too, so reading them here would not help: the store refuses a used key, which costs
    // nothing as long as none is used.
    if (store.isShared)
      return this.#index.fill(
        async () => [],
        () => {},
      );
    const { clock, timeouts } = runtime;
    for (const row of await store.read(openKeys)) this.#add(ownerOf(row), row.idempotency_key, 'open');
    const oldest = { concluded_at: clock.now() - timeouts.idempotencyMs, payment_id: '' };
    await this.#index.fill<ConcludedKey>(
      (after, limit) => store.read((db) => concludedKeys(db, after ?? oldest, limit)),
      (row) => {
        const age = clock.elapsedSince(row.concluded_at);
        if (row.idempotency_key !== null) this.#add(ownerOf(row), row.idempotency_key, 'counts', age);
      },
    );
  }

  /** Measures ages with the monotonic clock: setting the wall clock does not change when a key expires (B122). */
  #add(owner: Owner, key: string, age: 'open' | 'counts', agoMs = 0): void {
    const { clock, timeouts } = this.#parts.runtime;
    this.#index.add(nameOf(owner, key), clock.monotonic() + timeouts.idempotencyMs - agoMs, age);
  }
}

function ownerOf({
  account_id: accountId,
  environment,
}: Pick<PaymentRow, 'account_id' | 'environment'>): Owner {
  return { accountId, environment };
}

function nameOf({ accountId, environment }: Owner, key: string): string {
  return `${environment}\n${accountId}\n${key}`;
}
