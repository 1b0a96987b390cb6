import type { GatewayStore } from '../store/store.ts';

/** Returns the terminals that are connected now to any of the gateways. */
export async function readTerminalsConnectedAnywhere(store: GatewayStore): Promise<string[]> {
  const rows = await store.read((db) =>
    db
      .selectFrom('terminal_owners')
      .innerJoin('gateways', 'gateways.id', 'terminal_owners.gateway_id')
      .select('terminal_id')
      .where('connected', '=', 1)
      .where('ended', '=', 0)
      .execute(),
  );
  return rows.map(({ terminal_id }) => terminal_id);
}
