import { isoTime, isoTimeOrNull } from '../../shared/clock.ts';
import type { MemoryCopyUpdater } from '../engine/memory-copies.ts';
import type { Caller } from '../http/endpoint.ts';
import { ApiError } from '../http/errors.ts';
import { withDeadline } from '../http/with-deadline.ts';
import { readRowById } from '../store/read-rows.ts';
import type { TokenRow } from '../store/rows/accounts.ts';
import type { StoreParts } from '../store/store.ts';
import type { CreatedToken, Token, TokenInput } from './schemas.ts';
import { hashSecret, makeSecret, parseBearerSecret } from './secret.ts';
import type { AccountService } from './service.ts';

interface Known {
  readonly caller: Caller;
  readonly expiresAt: number | null;
}

/** The maximum number of tokens in memory. Requests with these tokens need no database query. */
const cacheSize = 10_000;

interface TokenParts extends StoreParts {
  accounts: AccountService;
  copies: MemoryCopyUpdater;
}

/**
 * Keeps the API tokens. The gateway stores only a token's hash. So the operator sees a token only once, when the token
 * is made (B112).
 */
export class TokenService {
  readonly #parts: TokenParts;
  #known = new Map<string, Known>();
  #revocations = 0;

  constructor(parts: TokenParts) {
    this.#parts = parts;
    parts.copies.keep('tokens', {
      known: () => [...this.#known.values()].map(({ caller }) => caller.tokenId),
      install: (_, row) => row && this.#forget(row),
    });
  }

  /**
   * Returns the caller to whom the token in this `Authorization` header belongs. Returns undefined if the token is
   * unknown or no longer valid.
   */
  async authenticate(header: string | undefined): Promise<Caller | undefined> {
    const secret = parseBearerSecret(header);
    if (secret === undefined) return undefined;
    const hash = hashSecret(secret);
    const known = this.#known.get(hash) ?? (await this.#findInTime(hash));
    if (!known) return undefined;
    if (known.expiresAt !== null && known.expiresAt <= this.#parts.runtime.clock.now()) return undefined;
    return known.caller;
  }

  /**
   * Makes a token. The answer contains the token's secret, which is never shown again. If a token with the same id
   * exists, returns the existing token without its secret, so that a set-up script can be run again without harm.
   *
   * @throws ApiError notFound if the account does not exist, conflict if the chosen token is in use already
   */
  async createToken(input: TokenInput): Promise<CreatedToken> {
    this.#parts.accounts.account(input.accountId);
    const secret = input.token ?? makeSecret(this.#parts.runtime.random, 'test_');
    const row: TokenRow = {
      id: input.id ?? this.#parts.runtime.identifiers.next(),
      account_id: input.accountId,
      environment: input.environment ?? 'sandbox',
      hash: hashSecret(secret),
      label: input.label ?? '',
      created_at: this.#parts.runtime.clock.now(),
      expires_at: input.expiresAt === undefined ? null : Date.parse(input.expiresAt),
      revoked_at: null,
    };
    const former = await this.#parts.store.write(async (db) => {
      const same = await db
        .selectFrom('tokens')
        .selectAll()
        .where((where) => where.or([where('id', '=', row.id), where('hash', '=', row.hash)]))
        .executeTakeFirst();
      if (!same) await db.insertInto('tokens').values(row).execute();
      return same;
    });
    if (!former) {
      this.#parts.runtime.journal.add('control.changed', { what: `token ${row.id}` });
      return { ...tokenOf(row), token: secret };
    }
    const sameOwner = former.account_id === row.account_id && former.environment === row.environment;
    if (sameOwner && (former.id === row.id || input.id === undefined)) return tokenOf(former);
    throw new ApiError('conflict', { message: 'Another token has this id or this secret' });
  }

  listTokens(accountId: string): Promise<Token[]> {
    return this.#parts.store.read(async (db) => {
      const rows = await db
        .selectFrom('tokens')
        .selectAll()
        .where('account_id', '=', accountId)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(tokenOf);
    });
  }

  /**
   * Revokes a token. If the token is revoked already, nothing changes.
   *
   * @throws ApiError notFound
   */
  async revokeToken(id: string): Promise<Token> {
    const row = await this.#parts.store.write(async (db) => {
      await db
        .updateTable('tokens')
        .set({ revoked_at: this.#parts.runtime.clock.now() })
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .execute();
      return readRowById(db, 'tokens', id);
    });
    if (!row) throw new ApiError('notFound', { message: `Token ${id} does not exist` });
    this.#forget(row);
    this.#parts.copies.changed('tokens', id);
    this.#parts.runtime.journal.add('control.changed', { what: `token ${id} revoked` });
    return tokenOf(row);
  }

  #forget({ hash }: TokenRow): void {
    this.#revocations++;
    this.#known.delete(hash);
  }

  /**
   * Any request may have to wait for this query. So the query has the shortest time limit that a request can have
   * (B42).
   */
  #findInTime(hash: string): Promise<Known | undefined> {
    const { clock, timeouts } = this.#parts.runtime;
    const at = clock.monotonic() + Math.min(timeouts.statusHoldMs, timeouts.abortHoldMs);
    return withDeadline(
      clock,
      at,
      this.#find(hash),
      'The gateway cannot read its stored data at present; try again',
    );
  }

  async #find(hash: string): Promise<Known | undefined> {
    const revocations = this.#revocations;
    const row = await this.#parts.store.read((db) =>
      db
        .selectFrom('tokens')
        .selectAll()
        .where('hash', '=', hash)
        .where('revoked_at', 'is', null)
        .executeTakeFirst(),
    );
    if (!row) return undefined;
    const known: Known = {
      caller: { tokenId: row.id, accountId: row.account_id, environment: row.environment },
      expiresAt: row.expires_at,
    };
    // Some token was revoked during the query, perhaps this one. So this token is not kept in memory.
    if (revocations !== this.#revocations) return known;
    if (this.#known.size >= cacheSize) this.#known.clear();
    this.#known.set(hash, known);
    return known;
  }
}

function tokenOf(row: TokenRow): Token {
  return {
    id: row.id,
    accountId: row.account_id,
    environment: row.environment,
    label: row.label,
    createdAt: isoTime(row.created_at),
    expiresAt: isoTimeOrNull(row.expires_at),
    revokedAt: isoTimeOrNull(row.revoked_at),
  };
}
