import { createRuntime } from '../../shared/create-runtime.ts';
import type { JournalEntry, JournalKind } from '../../shared/journal.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { VirtualClock } from '../../shared/virtual-clock.ts';
import type { AccountInput } from '../accounts/schemas.ts';
import { createGateway, type Gateway, type GatewayOptions } from '../index.ts';
import { testCards } from './default/test-cards.ts';

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

export interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are checked by the OpenAPI document, and read freely here
  body: any;
  headers: Headers;
}

type More = { token?: string; headers?: Record<string, string> };

/** Runs a gateway with real HTTP on a virtual clock. The gateway has a contact who has saved every test card. */
export class SavedCardsHarness {
  readonly runtime: Runtime;
  readonly clock: VirtualClock;
  readonly token: string;
  gateway: Gateway;
  #options: GatewayOptions;

  private constructor(runtime: Runtime, gateway: Gateway, token: string, options: GatewayOptions) {
    this.runtime = runtime;
    this.clock = runtime.clock as VirtualClock;
    this.gateway = gateway;
    this.token = token;
    this.#options = options;
  }

  static async start(
    options: {
      folder?: string;
      account?: Partial<AccountInput>;
      seed?: number;
      gateway?: GatewayOptions;
    } = {},
  ): Promise<SavedCardsHarness> {
    const runtime = createRuntime({ clock: 'virtual', seed: options.seed ?? 11 });
    const gatewayOptions = { ...folderOf(options.folder), ...options.gateway };
    const gateway = await createGateway(gatewayOptions, runtime);
    await gateway.accounts.createAccount({
      id: 'shop',
      name: 'Shop',
      currency: 'EUR',
      cardOnFile: true,
      ...options.account,
    });
    await gateway.contacts.createContact({ id: 'robin', accountId: 'shop', name: 'Robin' });
    for (const { id } of testCards) await gateway.contacts.createCard('robin', { id, card: id });
    await gateway.contacts.createBankAccount({ id: 'bank', accountId: 'shop', name: 'Current account' });
    const { token } = await gateway.tokens.createToken({ accountId: 'shop' });
    return new SavedCardsHarness(runtime, gateway, token ?? '', gatewayOptions);
  }

  /** Stops the gateway, and starts it again after `downMs`. */
  async restart(downMs = 0): Promise<void> {
    await this.gateway.close();
    await this.clock.advance(downMs);
    this.gateway = await createGateway(this.#options, this.runtime);
  }

  api(method: string, path: string, body?: unknown, more: More = {}): Promise<Reply> {
    return this.#call(method, path, body, { token: this.token, ...more });
  }

  control(method: string, path: string, body?: unknown): Promise<Reply> {
    return this.#call(method, path, body, { token: this.gateway.controlToken });
  }

  charge(amount: number, card = 'visa', body: object = {}, more: More = {}): Promise<Reply> {
    const path = `/contact/robin/creditCards/${card}/charge`;
    const given = { amount, to_bank_account_id: 'bank', statement: 'ORDER 1', ...body };
    return this.api('POST', path, given, more);
  }

  preauthorize(amount: number, card = 'visa', body: object = {}): Promise<Reply> {
    const path = `/contact/robin/creditCards/${card}/preauthorize`;
    return this.api('POST', path, { amount, to_bank_account_id: 'bank', statement: 'ORDER 1', ...body });
  }

  capture(debitId: string): Promise<Reply> {
    return this.api('POST', `/debit/${debitId}/capture`);
  }

  refund(debitId: string, amount: number, body: object = {}, more: More = {}): Promise<Reply> {
    const given = { amount, reason: 'customer_request', ...body };
    return this.api('POST', `/debit/${debitId}/refunds`, given, more);
  }

  /** Makes a paid debit, and gives its identifier. */
  async paid(amount: number, card = 'visa'): Promise<string> {
    return (await this.charge(amount, card)).body.debit_id;
  }

  async summary(debitId: string): Promise<Reply['body']> {
    return (await this.api('GET', `/debit/${debitId}/refunds`)).body;
  }

  async explain(debitId: string): Promise<Reply['body']> {
    return (await this.control('GET', `/control/debits/${debitId}`)).body;
  }

  /** Gives the kinds and amounts of the acquirer's entries for a debit. */
  async ledger(debitId: string): Promise<string[]> {
    const { ledger } = await this.explain(debitId);
    return ledger.map(({ kind, amount }: { kind: string; amount: number }) => `${kind} ${amount}`);
  }

  /** Gives the types of all events, the oldest first. */
  async events(resourceId?: string): Promise<string[]> {
    const events = await this.gateway.events.list({ limit: 1000, resourceId });
    return events.map(({ type }) => type).reverse();
  }

  async booksAgree(): Promise<Reply['body']> {
    return (await this.control('GET', '/control/books')).body;
  }

  journal<K extends JournalKind>(kind: K): JournalEntry<K>[] {
    return this.runtime.journal.since().filter((entry) => entry.kind === kind) as JournalEntry<K>[];
  }

  stop(): Promise<void> {
    return this.gateway.close();
  }

  async #call(
    method: string,
    path: string,
    body: unknown,
    more: { token: string; headers?: Record<string, string> },
  ): Promise<Reply> {
    const response = await fetch(this.gateway.url + path, {
      method,
      headers: {
        authorization: `Bearer ${more.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...more.headers,
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    const reply = { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
    return { ...reply, headers: response.headers };
  }
}

function folderOf(folder: string | undefined) {
  return folder === undefined ? {} : { dataFolder: folder };
}

/** Returns `value`. Throws if `value` is undefined. */
export function requireDefined<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('there is none');
  return value;
}
