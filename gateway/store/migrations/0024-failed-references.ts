import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres, tableBuilders } from './tables.ts';

/**
 * Lets a failed payment be found by the reference in its answer (B491). For payments that have failed already, the
 * reference is read from the stored outcome. If a payment fails later at a gateway of an older release, it gets no
 * reference and is not found.
 */
export const failedPaymentReferences: Migration = {
  async up(db: Kysely<never>) {
    const { index } = tableBuilders(db);
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
 * The reference is found by a pattern, because PostgreSQL's JSON functions refuse texts that contain a null character.
 * One such text would keep every gateway from starting.
 */
const nameThoseOfPostgres = sql`
  update payment_results
  set failed_reference = substring(outcome from ${sql.lit('"references":\\{"terminal":\\{"id":"([^"\\\\]{1,255})"')})
  where result = 'failure' and outcome not like '%"unsent":true%'`;
