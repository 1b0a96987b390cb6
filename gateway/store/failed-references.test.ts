import { describe, expect, test } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import { Database } from '../../shared/database/database.ts';
import { temporaryDatabaseFile } from '../../shared/database/temporary-file.fixture.ts';
import { prepareDatabasesForFile } from '../../test/postgres-for-file.ts';
import { hasPostgres } from '../../test/postgres-programs.ts';
import { makeGatewayFailureOutcome, outcomeJson, type PaymentOutcome } from '../payments/core/outcome.ts';
import type { GatewayTables } from './schema.ts';
import { gatewayMigrations, openGatewayStore } from './store.ts';

/**
 * In the tests of this file, migration 0024 changes stored data. Each failed payment gets the reference that is in its
 * answer (B491).
 */

type Place = { file: string } | { url: string; clock: typeof systemClock };

const failed = (id: string, more: { unsent?: true; message?: string } = {}): PaymentOutcome =>
  makeGatewayFailureOutcome({ id: 'p', serviceId: id }, { reason: 'Busy', message: 'busy', at: 0, ...more });

const text = {
  name: 'TOTAL',
  value: '"references":{"terminal":{"id":"V4"}} "unsent":true \u0000 é',
  key: 'k',
};
const receipts = [{ for: 'customer' as const, signature: false, lines: [{ text, ends: true }] }];
const outcomes: Record<string, { outcome: PaymentOutcome | undefined; name: string | null }> = {
  failed: { outcome: failed('V4_0%01[x]^ {T.A}'), name: 'V4_0%01[x]^ {T.A}' },
  likeAnother: {
    outcome: failed('V4000002', { message: '"references":{"terminal":{"id":"V4"}} "unsent":true' }),
    name: 'V4000002',
  },
  longest: { outcome: failed('V'.repeat(255)), name: 'V'.repeat(255) },
  tooLong: { outcome: failed('V'.repeat(9000)), name: null },
  none: { outcome: failed(''), name: null },
  nullCharacter: { outcome: failed('V4\u0000'), name: null },
  accent: { outcome: failed('V4é'), name: null },
  unsent: { outcome: failed('V4000003', { unsent: true }), name: null },
  success: { outcome: { ...failed('V4000004'), result: 'success', receipts }, name: null },
  version010: { outcome: undefined, name: null },
};

async function namesAfterUpgrade(place: Place) {
  const migrations = Object.fromEntries(
    Object.entries(gatewayMigrations).filter(([name]) => !name.startsWith('0024')),
  );
  const old = await Database.open<GatewayTables>({ ...place, migrations });
  const times = { concluded_at: 0, delivered_at: 0, abort_requested_at: null, error_condition: null };
  const rows = Object.entries(outcomes).map(([payment_id, { outcome }]) => ({
    ...{ payment_id, ...times, total: null, decided_by: 'gateway' as const, why: 'test', answer: '' },
    result: outcome?.result ?? 'failure',
    outcome: outcome ? outcomeJson(outcome) : null,
  }));
  await old.write((db) => db.insertInto('payment_results').values(rows).execute());
  await old.close();
  const store = await openGatewayStore(place);
  const found = await store.read((db) =>
    db.selectFrom('payment_results').select(['payment_id', 'failed_reference']).execute(),
  );
  await store.close();
  return Object.fromEntries(found.map(({ payment_id, failed_reference }) => [payment_id, failed_reference]));
}

const names = Object.fromEntries(Object.entries(outcomes).map(([id, { name }]) => [id, name]));

test('in a file', async () => {
  expect(await namesAfterUpgrade({ file: temporaryDatabaseFile() })).toEqual(names);
});

describe.runIf(hasPostgres())('on PostgreSQL', () => {
  const server = prepareDatabasesForFile();

  test('in a database', async () => {
    const url = await (await server()).newUrl();
    expect(await namesAfterUpgrade({ url, clock: systemClock })).toEqual(names);
  }, 120_000);
});
