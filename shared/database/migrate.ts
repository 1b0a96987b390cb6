import { CompiledQuery, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Brings a database's schema up to date: all that is missing in one commit, with Kysely's own tables about it, so
 * that a kill leaves either nothing or everything. If nothing is missing, one query finds that out and the migrator is
 * not even loaded.
 *
 * @throws where a migration fails, or the database has one that is not known here
 */
export async function migrate<Schema>(
  db: Kysely<Schema>,
  migrations: Record<string, Migration>,
): Promise<void> {
  const applied = await appliedTo(db);
  const names = Object.keys(migrations);
  if (applied.length === names.length && names.every((name) => applied.includes(name))) return;
  const { Migrator } = await import('kysely/migration');
  await db.transaction().execute(async (transaction) => {
    const provider = { getMigrations: async () => migrations };
    const { error } = await new Migrator({ db: transaction, provider }).migrateToLatest();
    if (error) throw error;
  });
}

/** The names of the migrations a database has; none where it cannot say, which the migrator looks into. */
async function appliedTo<Schema>(db: Kysely<Schema>): Promise<string[]> {
  try {
    const applied = await db.executeQuery<{ name: string }>(
      CompiledQuery.raw('select name from kysely_migration'),
    );
    return applied.rows.map(({ name }) => name);
  } catch {
    return [];
  }
}
