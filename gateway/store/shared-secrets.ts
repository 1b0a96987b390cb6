import type { GatewayStore } from './store.ts';

/**
 * Makes all gateways of a database use the same secrets, such as tokens that a gateway makes at its start. If another
 * gateway has already stored a secret, all gateways use that secret. Otherwise the secret in `made` is stored.
 */
export async function agreeOnSecrets<Name extends string>(
  store: GatewayStore,
  made: Readonly<Record<Name, string>>,
): Promise<Record<Name, string>> {
  const rows = Object.entries<string>(made)
    .sort() // all gateways lock the rows in the same order, so no deadlock can occur
    .map(([name, secret]) => ({ name, secret }));
  if (rows.length === 0) return { ...made };
  return store.write(async (db) => {
    await db
      .insertInto('shared_secrets')
      .values(rows)
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
    const names = rows.map(({ name }) => name);
    const kept = await db.selectFrom('shared_secrets').selectAll().where('name', 'in', names).execute();
    return Object.fromEntries(kept.map(({ name, secret }) => [name, secret])) as Record<Name, string>;
  });
}
