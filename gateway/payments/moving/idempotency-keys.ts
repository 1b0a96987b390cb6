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
 * The stored use of a key. It has the payment, which a repeated request gets until the key expires, and the number for
 * the next payment with this key.
 */
interface KeyUse {
  former: FoundPayment | undefined;
  nextUse: number;
  /** Set if only memory was asked. Another gateway may have accepted a payment with this key. */
  isGuess?: true;
}

interface KeysParts {
  runtime: Runtime;
  store: Store;
}

/**
 * Knows the idempotency keys that have not expired (B58). Memory knows which keys are new, so a payment with a new key
 * needs no reading. For any other key the store decides; if memory was wrong, it is corrected.
 */
export class IdempotencyKeys {
  readonly #parts: KeysParts;
  readonly #index: KeyIndex;
  /**
   * For each key of a request that is being worked on, a promise that resolves when that work is over. A second request
   * with the key waits for it, and then finds the result of the first.
   */
  readonly #reserved = new Map<string, Promise<unknown>>();

  private constructor(parts: KeysParts) {
    this.#parts = parts;
    this.#index = new KeyIndex(parts.runtime.timeouts.idempotencyMs);
  }

  /**
   * Resolves when all keys are known. If there are very many, it resolves when the first ones are known, and the rest
   * is read in the background.
   */
  static async open(parts: KeysParts): Promise<IdempotencyKeys> {
    const keys = new IdempotencyKeys(parts);
    await keys.#fill();
    return keys;
  }

  /** Runs `work` for a request with this key. Requests with the same key run one after the other. */
  async alone<Result>(owner: Owner, key: string, work: () => Promise<Result>): Promise<Result> {
    const name = nameOf(owner, key);
    for (let first = this.#reserved.get(name); first; first = this.#reserved.get(name)) await first;
    const working = work();
    const over = () => this.#reserved.delete(name);
    this.#reserved.set(name, working.then(over, over));
    return working;
  }

  /** Finds what is stored about a key. If memory shows that the key is new, the store is not asked. */
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

  /** Notes that the key's payment is concluded. The key's lifetime begins now. */
  concluded(owner: Owner, key: string): void {
    this.#add(owner, key, 'counts');
  }

  async #fill(): Promise<void> {
    const { store, runtime } = this.#parts;
    // Other gateways use keys too, so it would not help to read the keys here. The database refuses a key that is used
    // already. That costs nothing for new keys.
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

  /**
   * Adds a key. Its age is measured by the monotonic clock: if the wall clock is set, the key expires no earlier or
   * later (B122).
   */
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
