import { type Kysely, sql } from 'kysely';

/** A function that runs work in transactions of a database. */
type Write = (work: (db: Kysely<never>) => Promise<unknown>) => Promise<unknown>;

const far = 1_000_000_000;

/**
 * Makes every write to a database fail with SQLITE_FULL, as on a full disk: the database may not grow, and every write
 * needs more room than is left. Reads still work. Returns a function that makes room again.
 */
export async function fillDatabase(write: Write): Promise<() => Promise<void>> {
  await write(async (db) => {
    await sql`create table if not exists room (taken blob)`.execute(db);
    const { rows } = await sql<{ name: string }>`
      select name from sqlite_master where type = 'table' and name not like 'sqlite%' and name <> 'room'`.execute(
      db,
    );
    for (const { name } of rows)
      for (const verb of ['insert', 'update', 'delete'])
        await sql
          .raw(
            `create temp trigger full_${verb}_${name} before ${verb} on main.${name} begin insert into room values (zeroblob(100000)); end`,
          )
          .execute(db);
    await sql`pragma max_page_count = 1`.execute(db);
  });
  return async () => {
    await write(async (db) => {
      await sql.raw(`pragma max_page_count = ${far}`).execute(db);
      const { rows } = await sql<{ name: string }>`
        select name from sqlite_temp_master where type = 'trigger' and name like 'full_%'`.execute(db);
      for (const { name } of rows) await sql.raw(`drop trigger ${name}`).execute(db);
    });
  };
}
