import type { Sale } from '../client/openapi-types.ts';
import { type ControlledGateway, controlOf } from './call-control.ts';
import { keepFollowing, type Watching } from './keep-following.ts';

/** Calls `onSale` with the latest sales of a gateway, and with every sale that changes, until `signal` aborts. */
export async function followSales(
  gateway: ControlledGateway & Watching & { accountId?: string; recent: number },
  onSale: (sale: Sale) => void,
): Promise<void> {
  const { signal, accountId, recent } = gateway;
  const request = { params: { query: { accountId, recent } }, signal };
  await keepFollowing(async (opened) => {
    const sales = await controlOf(gateway).stream('/control/sales/stream', request);
    opened();
    for await (const sale of sales) onSale(sale);
  }, gateway);
}
