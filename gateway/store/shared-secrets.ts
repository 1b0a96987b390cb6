import type { Store } from './store.ts';

/**
 * Agrees with the other gateways of a database on the secrets that are made at a start. A secret that a gateway made
 * before is used; otherwise the one in `made` is stored.
 */
export async function agreeOnSecrets<Name extends string>(
  store: Store,
  made: Readonly<Record<Name, string>>,
): Promise<Record<Name, string>> {
  const rows = Object.entries<string>(made)
    .sort() // one order for all, so that none waits for another in a circle
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
