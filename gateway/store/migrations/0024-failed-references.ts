import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres, tablesOf } from './tables.ts';

/**
 * A payment that failed before the host heard of it is found by what its answer called it (B491). What failed so far gets that name
 * from its outcome. What a gateway of an older release ends afterwards has none, and is not found.
 */
export const failedReferences: Migration = {
  async up(db: Kysely<never>) {
    const { index } = tablesOf(db);
    await db.schema.alterTable('payment_results').addColumn('failed_reference', 'text').execute();
    await (isPostgres(db) ? nameThoseOfPostgres : nameThoseOfSqlite).execute(db);
    await index('payment_results_failed_reference', 'payment_results', ['failed_reference', 'payment_id'])
      .where('failed_reference' as never, 'is not', null)
      .execute();
  },
};

const nameThoseOfSqlite = sql`
  update payment_results set failed_reference = json_extract(outcome, '$.references.terminal.id')
  where result = 'failure' and outcome not like '%"unsent":true%'
    and length(json_extract(outcome, '$.references.terminal.id')) between 1 and 255
    and json_extract(outcome, '$.references.terminal.id') not glob '*[^ -~]*'
    and instr(outcome, ${sql.lit('\\u0000')}) = 0`;

/** The outcome is no `jsonb` for a moment: that refuses a text with a null character in it, and would keep every gateway from starting. */
const nameThoseOfPostgres = sql`
  update payment_results
  set failed_reference = substring(outcome from ${sql.lit('"references":\\{"terminal":\\{"id":"([^"\\\\]{1,255})"')})
  where result = 'failure' and outcome not like '%"unsent":true%'`;
