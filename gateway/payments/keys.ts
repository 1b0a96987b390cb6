import { KeyIndex } from '../../shared/key-index.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { Store } from '../store/store.ts';
import { type Found, findByKey, liveKeys, type Owner } from './rows.ts';

/** What is stored of a key: the payment it stands for while it lives, and how its next payment would be counted. */
interface KeyUse {
  former: Found | undefined;
  nextUse: number;
}

interface KeysParts {
  runtime: Runtime;
  store: Store;
}

/**
 * The idempotency keys that live (B58). Memory says which are new, so that a payment of a new one reads nothing; of the
 * others, and where memory should be wrong, the store has the last word.
 */
export class Keys {
  readonly #parts: KeysParts;
  readonly #index: KeyIndex;
  /** Keys that a request is worked on for: who comes second waits for that one, and finds what became of it. */
  readonly #reserved = new Map<string, Promise<unknown>>();

  private constructor(parts: KeysParts) {
    this.#parts = parts;
    this.#index = new KeyIndex(parts.runtime.timeouts.idempotencyMs);
  }

  static async open(parts: KeysParts): Promise<Keys> {
    const keys = new Keys(parts);
    const { clock, timeouts } = parts.runtime;
    const since = clock.now() - timeouts.idempotencyMs;
    for (const { concluded_at, ...row } of await parts.store.read((db) => liveKeys(db, since))) {
      const owner = { accountId: row.account_id, environment: row.environment };
      if (concluded_at === null) keys.#add(owner, row.idempotency_key, 'open');
      else keys.#add(owner, row.idempotency_key, 'counts', clock.elapsedSince(concluded_at));
    }
    return keys;
  }

  /** Works on a request of this key alone: the next one of it begins when `work` is over. */
  async alone<Result>(owner: Owner, key: string, work: () => Promise<Result>): Promise<Result> {
    const name = nameOf(owner, key);
    for (let first = this.#reserved.get(name); first; first = this.#reserved.get(name)) await first;
    const working = work();
    const over = () => this.#reserved.delete(name);
    this.#reserved.set(name, working.then(over, over));
    return working;
  }

  /** What is known of a key, without asking the store for a new one. */
  async find(owner: Owner, key: string): Promise<KeyUse> {
    return this.#index.has(nameOf(owner, key)) ? this.stored(owner, key) : { former: undefined, nextUse: 0 };
  }

  async stored(owner: Owner, key: string): Promise<KeyUse> {
    const row = await this.#parts.store.read((db) => findByKey(db, owner, key));
    if (!row) return { former: undefined, nextUse: 0 };
    const { clock, timeouts } = this.#parts.runtime;
    const lives = row.concluded_at === null || clock.elapsedSince(row.concluded_at) < timeouts.idempotencyMs;
    return { former: lives ? row : undefined, nextUse: row.key_use + 1 };
  }

  /** Its payment is on disk. */
  used(owner: Owner, key: string): void {
    this.#add(owner, key, 'open');
  }

  /** Its payment is concluded: from now on its time runs. */
  concluded(owner: Owner, key: string): void {
    this.#add(owner, key, 'counts');
  }

  /** Ages are of the monotonic clock: a key lives its time however the wall clock is set (B122). */
  #add(owner: Owner, key: string, age: 'open' | 'counts', agoMs = 0): void {
    const { clock, timeouts } = this.#parts.runtime;
    this.#index.add(nameOf(owner, key), clock.monotonic() + timeouts.idempotencyMs - agoMs, age);
  }
}

function nameOf({ accountId, environment }: Owner, key: string): string {
  return `${environment}\n${accountId}\n${key}`;
}
