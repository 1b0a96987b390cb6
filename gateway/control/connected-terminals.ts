import type { Services } from '../services.ts';

/** The terminals that are connected now, at this gateway and at the others of its database that live. */
export async function connectedTerminals({
  poi,
  peers,
  store,
}: Pick<Services, 'poi' | 'peers' | 'store'>): Promise<ReadonlySet<string>> {
  const connected = new Set(poi.connectedTerminals());
  if (!peers) return connected;
  const elsewhere = await store.read((db) =>
    db
      .selectFrom('terminal_owners')
      .innerJoin('gateways', 'gateways.id', 'terminal_owners.gateway_id')
      .select('terminal_id')
      .where('connected', '=', 1)
      .where('ended', '=', 0)
      .execute(),
  );
  for (const { terminal_id } of elsewhere) connected.add(terminal_id);
  return connected;
}
