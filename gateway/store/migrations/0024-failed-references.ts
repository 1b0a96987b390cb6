import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres, makeTableBuilders } from './tables.ts';

/**
 * The answer of a failed payment contains a reference. This reference is now also stored in a column, so that a search
 * for the reference finds the payment (B491). For payments that have failed already, the migration reads the reference
 * from the stored outcome. A gateway of an older release stores no reference, so payments that fail there later are not
 * found.
 */
export const failedPaymentReferences: Migration = {
  async up(db: Kysely<never>) {
    const { index } = makeTableBuilders(db);
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

/**
 * A pattern finds the reference, because PostgreSQL's JSON functions refuse a text that contains a null character. A
 * single such text would make the migration fail, so that no gateway could start.
 */
const nameThoseOfPostgres = sql`
  update payment_results
  set failed_reference = substring(outcome from ${sql.lit('"references":\\{"terminal":\\{"id":"([^"\\\\]{1,255})"')})
  where result = 'failure' and outcome not like '%"unsent":true%'`;
