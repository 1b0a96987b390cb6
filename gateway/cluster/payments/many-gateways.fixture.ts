import { expect, onTestFinished } from 'vitest';
import { createRuntime } from '../../../shared/create-runtime.ts';
import type { JournalEntry, JournalKind } from '../../../shared/journal.ts';
import type { Runtime } from '../../../shared/runtime.ts';
import type { Timeouts } from '../../../shared/timeouts.ts';
import { makeDialHeaders, type NumberedDial } from '../../../shared/transport/numbered-dial.ts';
import { CuttingTcpProxy } from '../../../test/cutting-tcp-proxy.ts';
import type { PostgresDatabases } from '../../../test/postgres-databases.ts';
import { createGateway, type Gateway } from '../../index.ts';
import { type GatewayPaymentOffer, makeGatewayPaymentOffer } from '../../payments/core/payment-offer.ts';
import { serviceIdOf } from '../../payments/core/service-id.ts';
import { TestTerminal } from '../../payments/test-terminal.fixture.ts';
import { throwIfCommitRefused } from '../../store/store.ts';
import type { ClusterTimings } from '../cluster-timings.ts';

interface Reply {
  status: number;
  body: { identifier: string; [field: string]: unknown };
  headers: Headers;
}

export const terminalId = '019b0000-0000-7000-8000-000000000002';
export const deviceKey = 'dev_V400m-1-key-of-test';
export const token = 'test_token-of-the-shop';

/** One of several gateways. It has methods for the actions of the POS, the terminal and the test. */
export class ClusterGateway {
  readonly gateway: Gateway;
  /** The gateway's connection to the database, which a test can cut. */
  readonly wire: CuttingTcpProxy;
  #closed: Promise<void> | undefined;

  constructor(gateway: Gateway, wire: CuttingTcpProxy) {
    this.gateway = gateway;
    this.wire = wire;
  }

  pay(amount: number, key?: string, signal?: AbortSignal): Promise<Reply> {
    const body = { paymentTransaction: { amountsReq: { requestedAmount: amount } } };
    const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
    return this.call('POST', `/terminals/${terminalId}/payment-request`, { body, headers, signal });
  }

  status(id: string): Promise<Reply> {
    return this.call('GET', `/payment-requests/status?transactionId=${id}`);
  }

  latest(): Promise<Reply> {
    return this.call('GET', `/terminals/${terminalId}/payment-request`);
  }

  abort(idempotencyKey: string): Promise<Reply> {
    return this.call('POST', '/payment-requests/abort', { body: { idempotencyKey } });
  }

  async call(
    method: string,
    path: string,
    more: { body?: unknown; headers?: Record<string, string>; signal?: AbortSignal } = {},
  ): Promise<Reply> {
    const response = await fetch(this.gateway.url + path, {
      method,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${token}`,
        ...(more.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...more.headers,
      },
      body: JSON.stringify(more.body),
      signal: more.signal ?? null,
    });
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text || '{}'), headers: response.headers };
  }

  /** Makes the terminal dial this gateway. */
  connect(dial?: NumberedDial): Promise<TestTerminal> {
    const url = this.gateway.url.replace('http', 'ws');
    return new TestTerminal(this.gateway.runtime, { url, poiId: 'V400m-1', deviceKey }).connect(
      dial ? makeDialHeaders(dial) : {},
    );
  }

  /** Resolves once the journal has an entry of this kind. */
  seen<K extends JournalKind>(
    kind: K,
    which: (entry: JournalEntry<K>) => boolean = () => true,
  ): Promise<void> {
    const { journal } = this.gateway.runtime;
    const has = () => journal.since().some((entry) => entry.kind === kind && which(entry as JournalEntry<K>));
    if (has()) return Promise.resolve();
    return new Promise((resolve) => {
      const stop = journal.listen(() => {
        if (!has()) return;
        stop();
        resolve();
      });
    });
  }

  /** Gives the arrival time of a request that arrives now. */
  arrivesNow() {
    return { arrivedAt: this.gateway.runtime.clock.monotonic() };
  }

  /** Resolves as soon as the terminal's owner answers a message of this gateway over NATS. */
  async reachesOwner(): Promise<void> {
    const { hints } = this.gateway.cluster ?? {};
    const ask = () => hints?.request(`terminal.${terminalId}`, null, { timeoutMs: 1_000 });
    await expect.poll(ask, { timeout: 60_000 }).toMatchObject({ is: 'answer' });
  }

  /** Offers a payment to the gateway that owns the terminal, as if this gateway had accepted the payment. */
  offer(row: GatewayPaymentOffer): void {
    const tell = this.gateway.cluster?.gateways.id;
    this.gateway.cluster?.hints.publish(`terminal.${terminalId}`, { payment: row.id, tell, offer: row });
  }

  /**
   * Stores a new payment with the data of the latest payment, as if this gateway had accepted the new payment. The
   * method sends no message about the new payment.
   */
  async accepted(): Promise<GatewayPaymentOffer> {
    const { store, runtime } = this.gateway;
    const latest = await store.read((db) =>
      db.selectFrom('payments').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirstOrThrow(),
    );
    const id = runtime.identifiers.next();
    const named = { id, service_id: serviceIdOf(id), idempotency_key: null };
    const message = latest.message.replaceAll(latest.id, id);
    const row = { ...latest, ...named, message, accepted_at: runtime.clock.now() };
    const nothing = {
      delivered_at: null,
      deadline_at: null,
      abort_requested_at: null,
      terminal_deleted_at: null,
    };
    await throwIfCommitRefused(
      store.commit([
        { insert: 'payments', row },
        {
          insert: 'open_payments',
          row: { payment_id: id, terminal_id: terminalId, refusals: 0, ...nothing },
        },
      ]),
    );
    return makeGatewayPaymentOffer(row);
  }

  close(): Promise<void> {
    this.#closed ??= this.gateway.close();
    return this.#closed;
  }
}

/** Opens several gateways of one database in this process. One terminal can connect to any of them. */
export async function openClusterGateways(
  postgres: PostgresDatabases,
  count: number,
  options: {
    timeouts?: Partial<Timeouts>;
    paces?: ClusterTimings;
    nats?: string;
    wrongByMs?: number;
    adyen?: boolean;
  } = {},
): Promise<ClusterGateway[]> {
  const { timeouts = {}, paces = { beatMs: 50, deadAfterMs: 1_000 }, nats, adyen } = options;
  const database = await postgres.newGatewaysUrl();
  const started: ClusterGateway[] = [];
  onTestFinished(async () => {
    for (const { wire } of started) wire.fate = () => 'arrive';
    await Promise.all(started.map((each) => each.close()));
    for (const { wire } of started) wire.close();
  });
  for (let at = 0; at < count; at++) {
    const wire = await CuttingTcpProxy.open(postgres.port);
    const gateway = await createGateway(
      {
        database: database.replace(`:${postgres.port}/`, `:${wire.port}/`),
        cluster: { name: `gateway ${at + 1}`, paces, ...(nats === undefined ? {} : { nats }) },
        ...(adyen && { dialects: { adyen } }),
      },
      at === 0
        ? createRuntime({ timeouts })
        : wrongClock(createRuntime({ timeouts }), options.wrongByMs ?? 0),
    );
    if (at === 0) await provision(gateway);
    started.push(new ClusterGateway(gateway, wire));
  }
  return started;
}

/** Makes the runtime of a machine whose wall clock is wrong by `byMs`. */
function wrongClock(runtime: Runtime, byMs: number): Runtime {
  const clock = { ...runtime.realClock, now: () => runtime.realClock.now() + byMs };
  return { ...runtime, clock, realClock: clock };
}

async function provision({ accounts, terminals, tokens }: Gateway): Promise<void> {
  const accountId = 'shop';
  await accounts.createAccount({ id: accountId, name: 'Shop', currency: 'EUR', merchantId: 'M1' });
  const storeId = '019b0000-0000-7000-8000-000000000001';
  await terminals.createStore({ id: storeId, accountId, name: 'Shop', address: '1 Street' });
  await terminals.createTerminal({ id: terminalId, poiId: 'V400m-1', storeId, deviceKey });
  await tokens.createToken({ id: 'token', accountId, token });
}
