import { createRuntime } from '../../shared/create-runtime.ts';
import type { JournalEntry, JournalKind } from '../../shared/journal.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { LinkServer } from '../../shared/transport/link-server.ts';
import type { VirtualClock } from '../../shared/virtual-clock.ts';
import { openTestStore } from '../../test/test-store.ts';
import type { AccountInput } from '../accounts/schemas.ts';
import { type BooksComparison, compareBooks } from '../acquirer/books.ts';
import { listDialects } from '../dialects/dialects.ts';
import { HttpServer } from '../http/server.ts';
import { makeAllResources } from '../openapi.ts';
import { endDeliveries, openServices, type Services, stopServices } from '../services.ts';
import type { Tx } from '../store/schema.ts';
import { TestTerminal } from './test-terminal.fixture.ts';

interface Reply {
  status: number;
  body: { identifier: string; error?: string; [field: string]: unknown };
  headers: Headers;
}

export const testIds = {
  account: 'shop',
  store: '019b0000-0000-7000-8000-000000000001',
  terminal: '019b0000-0000-7000-8000-000000000002',
  other: '019b0000-0000-7000-8000-000000000003',
  payoutAccount: '019b0000-0000-7000-8000-000000000004',
};
export const minute = 60_000;
export const hour = 60 * minute;

/** Runs the main parts of a gateway for a test, with real HTTP and real connections on a virtual clock. */
export class PaymentsHarness {
  readonly runtime: Runtime;
  readonly clock: VirtualClock;
  readonly services: Services;
  readonly url: string;
  readonly token: string;
  readonly booksAgree: () => Promise<BooksComparison>;
  /** Changes stored rows directly, without the services. */
  readonly tamper: (work: (db: Tx) => Promise<unknown>) => Promise<unknown>;
  #close: () => Promise<void>;

  private constructor(parts: {
    runtime: Runtime;
    services: Services;
    url: string;
    token: string;
    booksAgree: () => Promise<BooksComparison>;
    tamper: (work: (db: Tx) => Promise<unknown>) => Promise<unknown>;
    close: () => Promise<void>;
  }) {
    this.runtime = parts.runtime;
    this.clock = parts.runtime.clock as VirtualClock;
    this.services = parts.services;
    this.url = parts.url;
    this.token = parts.token;
    this.booksAgree = parts.booksAgree;
    this.tamper = parts.tamper;
    this.#close = parts.close;
  }

  /** Starts a gateway. If the `runtime` and `file` of an earlier gateway are given, restarts that gateway. */
  static async start(
    options: {
      runtime?: Runtime;
      file?: string;
      account?: Partial<AccountInput>;
      host?: string;
      lint?: boolean;
      adyen?: boolean;
    } = {},
  ): Promise<PaymentsHarness> {
    const runtime = options.runtime ?? createRuntime({ clock: 'virtual', seed: 7 });
    const store = await openTestStore({
      ...(options.file ? { file: options.file } : {}),
      inFlight: runtime.inFlight,
    });
    const services = await openServices(runtime, store, { lint: options.lint });
    const token = await provision(services, options.account);
    const http = new HttpServer(
      {
        resources: makeAllResources(services),
        dialects: listDialects(services, { adyen: options.adyen }),
        authenticate: (header) => services.tokens.authenticate(header),
        controlToken: 'control-token-of-test',
        faults: services.faults,
      },
      runtime,
    );
    const links = new LinkServer(http.server, runtime);
    links.serve('/poi', services.poi);
    const { url } = await http.listen(options.host ?? '127.0.0.1', 0);
    const close = async () => {
      stopServices(services);
      await http.close(links);
      await endDeliveries(services);
      await store.close();
    };
    return new PaymentsHarness({
      runtime,
      services,
      url,
      token,
      booksAgree: () => compareBooks(store),
      tamper: (work) => store.write(work),
      close,
    });
  }

  /** Makes a test terminal for one of the provisioned terminals. The test terminal is not connected yet. */
  terminal(poiId = 'V400m-1'): TestTerminal {
    return new TestTerminal(this.runtime, {
      url: this.url.replace('http', 'ws'),
      poiId,
      deviceKey: `dev_${poiId}-key-of-test`,
    });
  }

  async call(
    method: string,
    path: string,
    more: { body?: unknown; headers?: Record<string, string>; token?: string; signal?: AbortSignal } = {},
  ): Promise<Reply> {
    const response = await fetch(this.url + path, {
      method,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${more.token ?? this.token}`,
        ...(more.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...more.headers,
      },
      body: JSON.stringify(more.body),
      signal: more.signal,
    });
    const text = await response.text();
    const { status, headers } = response;
    return { status, body: JSON.parse(text === '' ? '{}' : text), headers };
  }

  /** Requests a payment. `more` is added to the body. */
  pay(
    amount: number,
    options: { key?: string; more?: object; terminalId?: string; headers?: Record<string, string> } = {},
  ): Promise<Reply> {
    return this.call('POST', `/terminals/${options.terminalId ?? testIds.terminal}/payment-request`, {
      body: { paymentTransaction: { amountsReq: { requestedAmount: amount } }, ...options.more },
      headers: {
        ...(options.key === undefined ? {} : { 'idempotency-key': options.key }),
        ...options.headers,
      },
    });
  }

  status(transactionId: string): Promise<Reply> {
    return this.call('GET', `/payment-requests/status?transactionId=${transactionId}`);
  }

  /** Waits until the gateway has no work to do. Virtual time does not move. */
  settle(): Promise<void> {
    return this.clock.advance(0);
  }

  /** Gives all journal entries of one kind. */
  journal<K extends JournalKind>(kind: K): JournalEntry<K>[] {
    return this.runtime.journal.since().filter((entry) => entry.kind === kind) as JournalEntry<K>[];
  }

  /** Resolves once the journal has `count` entries of a kind and the consequences of these entries are complete. */
  async seen(kind: JournalKind, count = 1): Promise<void> {
    if (this.journal(kind).length < count)
      await new Promise<void>((resolve) => {
        const stop = this.runtime.journal.listen(() => {
          if (this.journal(kind).length < count) return;
          stop();
          resolve();
        });
      });
    await this.settle();
  }

  stop(): Promise<void> {
    return this.#close();
  }
}

async function provision(
  { accounts, terminals, tokens }: Services,
  account: Partial<AccountInput> = {},
): Promise<string> {
  await accounts.createAccount({
    id: testIds.account,
    name: 'Shop',
    currency: 'EUR',
    merchantId: 'M1',
    ...account,
  });
  await terminals.createStore({
    id: testIds.store,
    accountId: testIds.account,
    name: 'Shop',
    address: '1 Street',
  });
  for (const [id, poiId] of [
    [testIds.terminal, 'V400m-1'],
    [testIds.other, 'V400m-2'],
  ] as const)
    await terminals.createTerminal({
      id,
      poiId,
      storeId: testIds.store,
      deviceKey: `dev_${poiId}-key-of-test`,
      payoutAccount: testIds.payoutAccount,
    });
  const token = 'test_token-of-the-shop';
  await tokens.createToken({ id: 'token', accountId: testIds.account, token });
  return token;
}
