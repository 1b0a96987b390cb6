import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../shared/clock.ts';
import { createRuntime } from '../../../shared/create-runtime.ts';
import { IdentifierGenerator } from '../../../shared/random.ts';
import { prepareDatabasesForFile } from '../../../test/postgres-for-file.ts';
import { hasPostgres } from '../../../test/postgres-programs.ts';
import { openCluster } from '../../cluster/cluster.ts';
import { endDeliveries, openServices, type Services, stopServices } from '../../services.ts';
import type { PaymentResultRow, PaymentRow } from '../../store/rows/payments.ts';
import { openGatewayStore } from '../../store/store.ts';
import { Receiver } from '../../webhooks/receiver.fixture.ts';
import { LaterResultSender } from './later-results.ts';

const owner = { accountId: 'shop', environment: 'sandbox' } as const;
const owned = { account_id: 'shop', environment: 'sandbox' } as const;

describe.runIf(hasPostgres())('results of /async, of several gateways', () => {
  const server = prepareDatabasesForFile();
  /**
   * The intervals are so long that no gateway looks for work by itself during a test. A gateway looks for work only
   * when the test calls `look`.
   */
  const paces = { beatMs: 3_600_000, deadAfterMs: 3_600_000 };

  async function member(url: string) {
    const own = createRuntime();
    const store = await openGatewayStore({ url, clock: systemClock });
    const cluster = await openCluster(own, store, { paces });
    const { clock } = cluster;
    const runtime = { ...own, clock, identifiers: new IdentifierGenerator(clock, own.random) };
    const services = await openServices(runtime, store, { cluster });
    onTestFinished(async () => {
      stopServices(services);
      await endDeliveries(services);
      await cluster.close();
      await store.close();
    });
    const later = await LaterResultSender.open(services);
    return { ...services, later, look: () => cluster.leases.askNow() };
  }

  async function setup() {
    const postgres = await server();
    const url = await postgres.newGatewaysUrl();
    const receiver = await Receiver.start(() => (response) => void response.end('[accepted]'));
    onTestFinished(() => receiver.close());
    const one = await member(url);
    await one.accounts.createAccount({ id: 'shop', name: 'Shop', currency: 'EUR' });
    await one.webhooks.create({ id: 'results', ...owner, url: receiver.url, types: ['adyen.results'] });
    const other = await member(url);
    await one.look(); // this call gives the leases to the first gateway
    const services = () =>
      receiver.received.map(({ event }) => event.SaleToPOIResponse.MessageHeader.ServiceID).sort();
    const settled = async (...wanted: string[]) => {
      const looked = async () => {
        await one.look(); // the other gateway may have stored a payment since the last call of `look`
        return services();
      };
      await expect.poll(looked, { timeout: 60_000 }).toEqual(wanted);
      const left = () => one.store.read((tx) => tx.selectFrom('awaited_results').selectAll().execute());
      expect(await left()).toEqual([]);
      await one.look();
      expect(services()).toEqual(wanted);
    };
    return { one, other, settled };
  }

  /** Stores a concluded payment with its result. */
  async function payment({ store, runtime }: Services, ServiceID: string): Promise<string> {
    const id = runtime.identifiers.next();
    const now = runtime.clock.now();
    const header = { MessageClass: 'Service', MessageCategory: 'Payment', MessageType: 'Request', ServiceID };
    const row: PaymentRow = {
      ...owned,
      ...{
        id,
        terminal_id: id,
        kind: 'payment' as const,
        original_id: null,
        service_id: ServiceID,
        amount: 100,
        currency: 'EUR',
      },
      ...{ idempotency_key: null, key_use: 0, request_hash: null, accepted_at: now, message: '{}' },
      ...{ unknown_fields: null, pin_rule: null, sale_reference_id: null, needs_link: 1, dialect: 'adyen' },
      dialect_data: JSON.stringify({ header, sale: {}, metadata: {} }),
    };
    const result: PaymentResultRow = {
      ...{ payment_id: id, concluded_at: now, delivered_at: now, abort_requested_at: null, answer: '' },
      ...{ result: 'failure', error_condition: 'Cancel', total: null, decided_by: 'terminal', why: 'test' },
      outcome: JSON.stringify({ payment: id, result: 'failure', reason: 'cancel' }),
      failed_reference: null,
    };
    const stored = await store.commit([
      { insert: 'payments', row },
      { insert: 'payment_results', row: result },
    ]);
    expect(stored).toEqual({ is: 'applied' });
    return id;
  }

  test('are sent by the gateway with the duty, if the gateway that waited for them is gone', async () => {
    const { other, settled } = await setup();
    const id = await payment(other, '1');
    await other.store.commit([{ insert: 'awaited_results', row: { payment_id: id, ...owned } }]);
    await settled('1');
  });

  test('are sent once if two gateways follow the payment', async () => {
    const { one, other, settled } = await setup();
    const wanted = ['1', '2', '3', '4'];
    const ids = await Promise.all(wanted.map((serviceId) => payment(other, serviceId)));
    const following = ids.map(async (id) => {
      const reference = { transactionId: id };
      const arrivedAt = other.runtime.clock.monotonic();
      const found = await other.payments.statusNow({ ...owner, tokenId: '' }, reference, { arrivedAt });
      if (found) await other.later.sendWhenKnown(owner, found);
    });
    await Promise.all([...following, one.look(), one.look()]);
    await settled(...wanted);
  });
});
