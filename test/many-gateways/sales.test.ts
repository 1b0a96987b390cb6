import { describe, expect, vi } from 'vitest';
import type { Sale } from '../../shared/sales/sale.ts';
import { hasNats } from '../nats-server.ts';
import { testThoroughly } from '../optional-programs.ts';
import { prepareDatabasesForFile } from '../postgres-for-file.ts';
import { hasPostgres } from '../postgres-programs.ts';
import { emulate, type GatewayOfTest, twoGateways } from './two-gateways.ts';

const testInCi = testThoroughly();

const soon = { timeout: 60_000, interval: 50 };

describe.runIf(hasPostgres() && hasNats())('the sales of several gateways', () => {
  const postgres = prepareDatabasesForFile();

  testInCi('are the same at each gateway, whichever of them the POS asked (B235, B240)', async () => {
    const { one, two, terminals, token, another } = await twoGateways(
      await (await postgres()).newGatewaysUrl(),
    );
    const emulator = await emulate(one, terminals);
    await emulator.announced;
    const [terminal] = terminals;
    const call = (gateway: GatewayOfTest, path: string, init: RequestInit = {}) =>
      fetch(gateway.url + path, {
        ...init,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'idempotency-key': 'order-1',
        },
      });
    const leaves = new AbortController();
    const body = {
      paymentTransaction: { amountsReq: { requestedAmount: 5 } },
      saleData: { saleReferenceId: 'order-1' },
    };
    const paying = call(two, `/terminals/${terminal?.id}/payment-request`, {
      method: 'POST',
      body: JSON.stringify(body),
      signal: leaves.signal,
    }).catch(() => undefined);
    await vi.waitFor(() => expect(emulator.terminal('V400m-1')?.screen().state).toBe('presentCard'), soon);
    leaves.abort();
    await paying;
    await two.control('POST', '/control/terminals/V400m-1/tap', { card: 'visa-credit' });
    const answer = await call(one, '/payment-requests/status?idempotencyKey=order-1');
    expect(answer.status).toBe(200);
    const salesAt = async (gateway: GatewayOfTest): Promise<Sale[]> =>
      (await gateway.control('GET', '/control/sales')).body.sales;
    for (const gateway of [one, two, await another('three')]) {
      await vi.waitFor(async () => {
        const sales = await salesAt(gateway);
        expect(sales).toMatchObject([
          {
            saleReferenceId: 'order-1',
            callsText: 'POST hung up, status',
            told: 'told',
            charged: 5,
            calls: [{ gateway: 'two' }, { gateway: 'one' }],
          },
        ]);
      }, soon);
    }
    await one.control('POST', '/control/beliefs', { saleReferenceId: 'order-1', believes: 'notPaid' });
    const [believed] = await salesAt(two);
    expect(believed?.findings).toMatchObject([{ rule: 'wrong-belief' }]);
    expect((await two.control('GET', '/control/books')).body).toMatchObject({ untold: [] });
  });
});
