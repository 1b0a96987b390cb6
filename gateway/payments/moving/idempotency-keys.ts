import { KnownKeyFilter } from '../../../shared/key-index.ts';
import type { Owner } from '../../store/ownership.ts';
import type { PaymentRow } from '../../store/rows/payments.ts';
import type { StoreParts } from '../../store/store.ts';
import {
  type ConcludedIdempotencyKey,
  findPaymentByIdempotencyKey,
  neverReachedTerminal,
  type PaymentWithOutcomeRow,
  readConcludedIdempotencyKeys,
  readOpenIdempotencyKeys,
} from './rows.ts';

/** The known facts about one key: its payment, and the number for its next use. */
interface KeyUse {
  /** The payment that was made with the key. Until the key expires, a repeated request gets this payment. */
  former: PaymentWithOutcomeRow | undefined;
  /** The number for the next payment with this key. */
  nextUse: number;
  /**
   * Set if other gateways share the database, but this gateway has looked for the key only in its own memory. Another
   * gateway may have used the key.
   */
  isGuess?: true;
}

interface KeysParts extends StoreParts {}

/**
 * The registry of the idempotency keys that have not expired (B58). Memory shows which keys are new, so a payment with
 * a new key needs no reading from the store. For any other key, the gateway asks the store.
 *
 * If gateways share the database, memory knows only the keys of this gateway. A key that seems to be new is then only a
 * guess. If the key is used already, the database refuses the payment, and the gateway asks the store.
 */
export class IdempotencyKeyRegistry {
  readonly #parts: KeysParts;
  readonly #index: KnownKeyFilter;
  /**
   * For each key whose request is being handled, a promise that resolves when the handling has ended. A second request
   * with the key waits for this promise, and then finds the result of the first request.
   */
  readonly #reserved = new Map<string, Promise<unknown>>();

  private constructor(parts: KeysParts) {
    this.#parts = parts;
    this.#index = new KnownKeyFilter(parts.runtime.timeouts.idempotencyMs);
  }

  /**
   * Resolves when all keys are known. If there are very many keys, it resolves when the first page is known, and the
   * other keys are read in the background.
   */
  static async open(parts: KeysParts): Promise<IdempotencyKeyRegistry> {
    const keys = new IdempotencyKeyRegistry(parts);
    await keys.#fill();
    return keys;
  }

  /** Runs `work` for a request with this key. Requests with the same key run one after the other. */
  async runExclusively<Result>(owner: Owner, key: string, work: () => Promise<Result>): Promise<Result> {
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

  /** Reads from the store what is known about a key, without asking memory. */
  async stored(owner: Owner, key: string): Promise<KeyUse> {
    const row = await this.#parts.store.read((db) => findPaymentByIdempotencyKey(db, owner, key));
    if (!row) return { former: undefined, nextUse: 0 };
    const { clock, timeouts } = this.#parts.runtime;
    const lives =
      row.concluded_at === null ||
      (clock.elapsedSince(row.concluded_at) < timeouts.idempotencyMs && !neverReachedTerminal(row));
    return { former: lives ? row : undefined, nextUse: row.key_use + 1 };
  }

  /** Notes that the key's payment is stored. */
  noteUsed(owner: Owner, key: string): void {
    this.#add(owner, key, 'open');
  }

  /** Notes that the key's payment is concluded. The key's lifetime begins now. */
  noteConcluded(owner: Owner, key: string): void {
    this.#add(owner, key, 'counts');
  }

  async #fill(): Promise<void> {
    const { store, runtime } = this.#parts;
    // If this gateway shares the database, it reads no keys. Even if it knew these keys, it could only guess that a key
    // is new, because the other gateways continue to use keys.
    if (store.isShared)
      return this.#index.fill(
        async () => [],
        () => {},
      );
    const { clock, timeouts } = runtime;
    for (const row of await store.read(readOpenIdempotencyKeys))
      this.#add(ownerOf(row), row.idempotency_key, 'open');
    const oldest = { concluded_at: clock.now() - timeouts.idempotencyMs, payment_id: '' };
    await this.#index.fill<ConcludedIdempotencyKey>(
      (after, limit) => store.read((db) => readConcludedIdempotencyKeys(db, after ?? oldest, limit)),
      (row) => {
        const agoMs = clock.elapsedSince(row.concluded_at);
        if (row.idempotency_key !== null) this.#add(ownerOf(row), row.idempotency_key, 'counts', agoMs);
      },
    );
  }

  /**
   * Adds a key whose lifetime has not begun (`open`), or began `agoMs` ago. The monotonic clock measures the lifetime,
   * so a change of the wall clock does not change when the key expires (B122).
   */
  #add(owner: Owner, key: string, lifetime: 'open' | 'counts', agoMs = 0): void {
    const { clock, timeouts } = this.#parts.runtime;
    this.#index.add(nameOf(owner, key), clock.monotonic() + timeouts.idempotencyMs - agoMs, lifetime);
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
