import { isoTime } from '../../shared/clock.ts';
import { KeyedTaskQueue } from '../../shared/lanes.ts';
import type { AccountService } from '../accounts/service.ts';
import type { MemoryCopyUpdater } from '../engine/memory-copies.ts';
import { retryIfOvertaken, waitUntilCommitApplied } from '../engine/overtaken.ts';
import { adyenResultType, type DeliveredEventType } from '../events/schemas.ts';
import type { Deliverable } from '../events/stored-event.ts';
import { ApiError } from '../http/errors.ts';
import { throwUnavailableIfFull } from '../http/unavailable-if-full.ts';
import type { WebhookRow } from '../store/rows/webhooks.ts';
import type { RowChange } from '../store/schema.ts';
import type { StoreParts } from '../store/store.ts';
import { type AddressRules, isAllowedAddress, readLiteralAddress } from './addresses.ts';
import { makeFailDeliveriesChange, readWebhooks } from './rows.ts';
import type { Webhook, WebhookChanges, WebhookInput } from './schemas.ts';
import { makeWebhookSecret } from './signature.ts';

interface WebhookParts extends StoreParts {
  accounts: AccountService;
  rules: AddressRules;
  copies: MemoryCopyUpdater;
}

/**
 * Keeps the webhooks. A webhook is an address to which events of an account are sent (B109). All webhooks are in
 * memory, because they are needed for every event.
 */
export class WebhookService {
  readonly #parts: WebhookParts;
  #webhooks = new Map<string, WebhookRow>();
  readonly #lanes: KeyedTaskQueue;
  #silenced = (_webhookId: string) => {};

  private constructor(parts: WebhookParts) {
    this.#parts = parts;
    this.#lanes = new KeyedTaskQueue(parts.runtime.inFlight);
    parts.copies.keep('webhooks', {
      known: () => this.#webhooks.keys(),
      install: (id, row) => this.#changedElsewhere(id, row),
    });
  }

  static async open(parts: WebhookParts): Promise<WebhookService> {
    const service = new WebhookService(parts);
    for (const row of await parts.store.read(readWebhooks)) service.#webhooks.set(row.id, row);
    return service;
  }

  /**
   * From now on, calls `silenced` with each webhook that was disabled or deleted, after its waiting deliveries were
   * ended.
   */
  onSilenced(silenced: (webhookId: string) => void): void {
    this.#silenced = silenced;
  }

  /**
   * Makes a webhook. If a webhook with the same id exists, the new webhook replaces it. If the input has no secret,
   * the new webhook keeps the secret of the replaced webhook.
   *
   * @throws ApiError notFound if the account does not exist, invalidRequest if the address is not allowed, conflict if
   *   the id belongs to another account
   */
  async create(input: WebhookInput): Promise<Webhook> {
    this.#checkAddress(input.url);
    const { id: accountId } = this.#parts.accounts.account(input.accountId);
    const id = input.id ?? this.#parts.runtime.identifiers.next();
    const row = await this.#inTurn(id, async () => {
      const former = this.find(id);
      const row = this.#created({ ...input, id, accountId }, former);
      const change: RowChange = former
        ? { update: 'webhooks', where: { id }, set: row }
        : { insert: 'webhooks', row };
      await this.#commit(id, row, [change]);
      return row;
    });
    return this.#changed(row, 'is there');
  }

  list(accountId?: string): Webhook[] {
    return [...this.#webhooks.values()]
      .filter(({ account_id }) => accountId === undefined || account_id === accountId)
      .map((row) => this.#view(row));
  }

  /** @throws ApiError notFound */
  get(id: string): Webhook {
    return this.#view(this.row(id));
  }

  find(id: string): WebhookRow | undefined {
    return this.#webhooks.get(id);
  }

  /** @throws ApiError notFound */
  row(id: string): WebhookRow {
    const row = this.find(id);
    if (!row) throw new ApiError('notFound', { message: `Webhook ${id} does not exist` });
    return row;
  }

  /**
   * Changes a webhook. If this disables the webhook, its pending deliveries end. If this enables the webhook, new
   * events are sent to it again.
   *
   * @throws ApiError notFound, or invalidRequest if the address is not allowed
   */
  async update(id: string, changes: WebhookChanges): Promise<Webhook> {
    this.row(id);
    if (changes.url !== undefined) this.#checkAddress(changes.url);
    if (changes.enabled === false) await this.disable(id, 'the control API disabled the webhook');
    const row = await this.#change(id, () => ({
      ...(changes.url === undefined ? {} : { url: changes.url }),
      ...(changes.description === undefined ? {} : { description: changes.description }),
      ...(changes.types === undefined ? {} : { types: changes.types && JSON.stringify(changes.types) }),
      ...(changes.enabled === true ? { disabled_at: null, disabled_why: null } : {}),
    }));
    return this.#changed(row, 'changed');
  }

  /**
   * Gives a webhook a new secret. For `timeouts.webhookRotationMs`, messages are signed with both the new and the
   * former secret, so that the receiver can change to the new secret without missing a message.
   *
   * @throws ApiError notFound
   */
  async rotateSecret(id: string, given?: string): Promise<Webhook> {
    const { clock, random, timeouts } = this.#parts.runtime;
    this.row(id);
    const secret = given ?? makeWebhookSecret(random);
    const row = await this.#change(id, (former) => ({
      secret,
      former_secret: former.secret,
      former_until: clock.now() + timeouts.webhookRotationMs,
    }));
    return this.#changed(row, 'has another secret');
  }

  /**
   * Disables a webhook: sends nothing more to it, and ends its pending deliveries. If it is disabled already, nothing
   * changes.
   *
   * @throws ApiError notFound
   */
  async disable(id: string, why: string): Promise<void> {
    const { clock, journal } = this.#parts.runtime;
    const now = clock.now();
    const disabled = await this.#inTurn(id, async () => {
      const former = this.row(id);
      if (former.disabled_at !== null) return false;
      const set = { disabled_at: now, disabled_why: why };
      await this.#commit(id, { ...former, ...set }, [
        { update: 'webhooks', where: { id }, set },
        makeFailDeliveriesChange(id, `the webhook is disabled: ${why}`, now),
      ]);
      return true;
    });
    if (!disabled) return;
    this.#silenced(id);
    journal.add('webhook.disabled', { webhook: id, why });
  }

  /**
   * Deletes a webhook. The log of its deliveries stays.
   *
   * @throws ApiError notFound
   */
  async delete(id: string): Promise<void> {
    await this.#inTurn(id, () => {
      this.row(id);
      const ended = makeFailDeliveriesChange(id, 'the webhook was deleted', this.#parts.runtime.clock.now());
      return this.#commit(id, undefined, [{ delete: 'webhooks', where: { id } }, ended]);
    });
    this.#silenced(id);
    this.#parts.runtime.journal.add('control.changed', { what: `webhook ${id} was deleted` });
  }

  /**
   * Gives the webhooks to which an event or a result is sent. A webhook gets results only if its list of types contains
   * `adyenResultType`.
   */
  wanting({
    accountId,
    environment,
    type,
  }: Pick<Deliverable, 'accountId' | 'environment' | 'type'>): WebhookRow[] {
    return [...this.#webhooks.values()].filter(
      (row) =>
        row.account_id === accountId &&
        row.environment === environment &&
        row.disabled_at === null &&
        (row.types === null ? type !== adyenResultType : typesOf(row.types).includes(type)),
    );
  }

  /**
   * Gives the secrets with which messages are signed now: the present secret and, during a rotation, also the former
   * secret.
   */
  secretsOf({ secret, former_secret, former_until }: WebhookRow): string[] {
    if (former_secret === null || former_until === null) return [secret];
    const { clock, timeouts } = this.#parts.runtime;
    const age = clock.elapsedSince(former_until - timeouts.webhookRotationMs);
    return age < timeouts.webhookRotationMs ? [secret, former_secret] : [secret];
  }

  /** Makes the row of a new webhook. If the new webhook replaces another one, `former` is the row of that webhook. */
  #created(input: WebhookInput & { id: string }, former: WebhookRow | undefined): WebhookRow {
    const { clock, random } = this.#parts.runtime;
    const environment = input.environment ?? 'sandbox';
    if (former && (former.account_id !== input.accountId || former.environment !== environment))
      throw new ApiError('conflict', { message: `The webhook ${input.id} belongs to another account` });
    return {
      id: input.id,
      account_id: input.accountId,
      environment,
      url: input.url,
      description: input.description ?? '',
      types: input.types ? JSON.stringify(input.types) : null,
      secret: input.secret ?? former?.secret ?? makeWebhookSecret(random),
      former_secret: former?.former_secret ?? null,
      former_until: former?.former_until ?? null,
      disabled_at: former?.disabled_at ?? null,
      disabled_why: former?.disabled_why ?? null,
      created_at: former?.created_at ?? clock.now(),
    };
  }

  /**
   * Changes a webhook. Changes to one webhook run one after the other. Each change starts from the result of the
   * change before it.
   *
   * @throws ApiError notFound
   */
  #change(id: string, changes: (former: WebhookRow) => Partial<WebhookRow>): Promise<WebhookRow> {
    return this.#inTurn(id, async () => {
      const former = this.row(id);
      const set = changes(former);
      const row: WebhookRow = { ...former, ...set };
      // Another gateway may rotate the secret at the same time. So the update succeeds only if the row still has the
      // secret that this change replaces.
      const where = set.secret === undefined ? { id } : { id, secret: former.secret };
      if (Object.keys(set).length > 0) await this.#commit(id, row, [{ update: 'webhooks', where, set }]);
      return row;
    });
  }

  #inTurn<Result>(id: string, work: () => Promise<Result>): Promise<Result> {
    return throwUnavailableIfFull(this.#lanes.turn(id, () => retryIfOvertaken(this.#parts.copies, work)));
  }

  /**
   * Commits changes to a webhook. `row` is the webhook after these changes; undefined if the webhook is deleted.
   *
   * @throws Overtaken if another gateway changed the webhook first; the storage's error if the storage failed
   */
  async #commit(id: string, row: WebhookRow | undefined, changes: readonly RowChange[]): Promise<void> {
    await waitUntilCommitApplied(this.#parts.store.commit(changes));
    this.#put(id, row);
    this.#parts.copies.changed('webhooks', id);
  }

  #put(id: string, row: WebhookRow | undefined): void {
    if (row) this.#webhooks.set(id, row);
    else this.#webhooks.delete(id);
  }

  #changedElsewhere(id: string, row: WebhookRow | undefined): void {
    const wasEnabled = this.find(id)?.disabled_at === null;
    this.#put(id, row);
    if (wasEnabled && row?.disabled_at !== null) this.#silenced(id);
  }

  #changed(row: WebhookRow, what: string): Webhook {
    this.#parts.runtime.journal.add('control.changed', { what: `webhook ${row.id} ${what}` });
    return this.#view(row);
  }

  /** Throws invalidRequest for an IP address that is not allowed. A name is looked up only when a message is sent. */
  #checkAddress(url: string): void {
    const literal = readLiteralAddress(new URL(url));
    if (literal === undefined || isAllowedAddress(literal, this.#parts.rules)) return;
    const message =
      'must be in a network to which the gateway may send webhooks (webhooks.allowPrivateNetworks)';
    throw new ApiError('invalidRequest', { details: [{ path: 'url', message }] });
  }

  #view(row: WebhookRow): Webhook {
    const rotating = this.secretsOf(row).length > 1;
    return {
      id: row.id,
      accountId: row.account_id,
      environment: row.environment,
      url: row.url,
      types: row.types === null ? null : typesOf(row.types),
      description: row.description,
      secret: row.secret,
      formerSecretUntil: rotating ? isoTime(row.former_until ?? 0) : null,
      enabled: row.disabled_at === null,
      disabledWhy: row.disabled_why,
      createdAt: isoTime(row.created_at),
    };
  }
}

function typesOf(json: string): DeliveredEventType[] {
  return JSON.parse(json) as DeliveredEventType[];
}
