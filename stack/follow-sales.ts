import type { Sale } from '../client/openapi-types.ts';
import { type ControlledGateway, controlClientOf } from './call-control.ts';
import { type FollowOptions, keepFollowing } from './keep-following.ts';

/** Calls `onSale` with the latest sales of a gateway, and with every sale that changes, until `signal` aborts. */
export async function followSales(
  gateway: ControlledGateway & FollowOptions & { accountId?: string; recent: number },
  onSale: (sale: Sale) => void,
): Promise<void> {
  const { signal, accountId, recent } = gateway;
  const request = { params: { query: { accountId, recent } }, signal };
  await keepFollowing(async (opened) => {
    const sales = await controlClientOf(gateway).stream('/control/sales/stream', request);
    opened();
    for await (const sale of sales) onSale(sale);
  }, gateway);
}
