import { afterEach, expect, test } from 'vitest';
import { Database } from '../../shared/database/database.ts';
import { temporaryDatabaseFile } from '../../shared/database/temporary-file.fixture.ts';
import { terminalPayments } from '../store/migrations/0001-terminal-payments.ts';
import { savedCards } from '../store/migrations/0002-saved-cards.ts';
import { creditsAndWebhooks } from '../store/migrations/0003-credits-and-webhooks.ts';
import type { LedgerRow } from '../store/rows/acquirer.ts';
import type { GatewayTables, Tx } from '../store/schema.ts';
import { serviceIdOf } from './core/service-id.ts';
import { PaymentsHarness, testIds } from './payments-harness.fixture.ts';
import { makeApproval } from './test-terminal.fixture.ts';

/**
 * The tests of this file start a gateway with data of version 0.1.0. The data contain a payment that was authorized but
 * not concluded.
 */

let harness: PaymentsHarness;
afterEach(() => harness.stop());

const id = '01b78000-0000-7000-8000-000000000001';
const at = Date.parse('2026-01-01T09:00:00.000Z');
const request = {
  SaleData: { SaleTransactionID: { TransactionID: id, TimeStamp: '2026-01-01T09:00:00.000Z' } },
  PaymentTransaction: { AmountsReq: { Currency: 'EUR', RequestedAmount: 25 } },
};

async function started() {
  const file = temporaryDatabaseFile();
  await writeOld(file);
  harness = await PaymentsHarness.start({ file });
  const terminal = await harness.terminal().connect();
  const asked = await terminal.next('TransactionStatusRequest');
  return { terminal, asked };
}

async function writeOld(file: string, ended: string[] = []): Promise<void> {
  const migrations = {
    '0001-terminal-payments': terminalPayments,
    '0002-saved-cards': savedCards,
    '0003-credits-and-webhooks': creditsAndWebhooks,
  };
  const old = await Database.open<GatewayTables>({ file, migrations });
  const owned = { account_id: testIds.account, environment: 'sandbox' } as const;
  await old.write(async (db) => {
    for (const former of ended) await insertEnded(db, former);
    await db
      .insertInto('payments')
      .values({
        ...owned,
        id,
        terminal_id: testIds.terminal,
        service_id: serviceIdOf(id),
        amount: 2500,
        currency: 'EUR',
        idempotency_key: null,
        request_hash: null,
        accepted_at: at,
        message: JSON.stringify(request),
        unknown_fields: null,
        pin_rule: null,
      } as never)
      .execute();
    await db
      .insertInto('open_payments')
      .values({
        payment_id: id,
        terminal_id: testIds.terminal,
        delivered_at: at,
        deadline_at: null,
        abort_requested_at: null,
      } as never)
      .execute();
    const authorized: Partial<LedgerRow> = {
      ...owned,
      id: '01b78000-0000-7000-8000-000000000002',
      payment_id: id,
      at,
      kind: 'authorized',
      amount: 2500,
      currency: 'EUR',
      psp_reference: 'PSP0000000000001',
      auth_code: '123456',
      rule: 'default',
      why: 'no rule declines it',
    };
    await db
      .insertInto('ledger')
      .values(authorized as LedgerRow)
      .execute();
  });
  await old.close();
}

test('a key that was used again after its 48 hours has a record for each of its payments', async () => {
  const file = temporaryDatabaseFile();
  await writeOld(file, ['019b0000-0000-7000-8000-0000000000b1', '019b0000-0000-7000-8000-0000000000b2']);
  harness = await PaymentsHarness.start({ file });
  const uses: unknown[] = [];
  await harness.tamper(async (db) => {
    const rows = await db.selectFrom('payments').select(['id', 'key_use']).orderBy('id').execute();
    uses.push(...rows.map(({ key_use }) => key_use));
  });
  expect(uses).toEqual([0, 1, 0]);
});

test('an answer that version 0.1.0 stored is repeated by its status with exactly the same bytes', async () => {
  const file = temporaryDatabaseFile();
  const ended = '019b0000-0000-7000-8000-0000000000b1';
  await writeOld(file, [ended]);
  harness = await PaymentsHarness.start({ file });
  const headers = { authorization: `Bearer ${harness.token}` };
  const status = `${harness.url}/payment-requests/status?idempotencyKey=again`;
  const answer = await fetch(status, { headers });
  expect([answer.status, await answer.text()]).toEqual([200, `${answerOf(ended)}\n`]);
});

/**
 * Writes an answer as version 0.1.0 did. The answer contains spaces that the gateway would not write. So the test would
 * notice if the gateway had read the answer and written it again.
 */
function answerOf(payment: string): string {
  return `{"response": {"result": "failure"}, "identifier": "${payment}"}`;
}

/** Inserts a payment that version 0.1.0 concluded. Its key is `again`. */
async function insertEnded(db: Tx, former: string): Promise<void> {
  const row = {
    account_id: testIds.account,
    environment: 'sandbox',
    id: former,
    terminal_id: testIds.terminal,
    service_id: serviceIdOf(former),
    amount: 2500,
    currency: 'EUR',
    idempotency_key: 'again',
    request_hash: 'hash',
    accepted_at: at,
    message: JSON.stringify(request),
    unknown_fields: null,
    pin_rule: null,
  };
  await db
    .insertInto('payments')
    .values(row as never)
    .execute();
  const answer = answerOf(former);
  const ending = { result: 'failure', decided_by: 'gateway', why: 'test', answer } as const;
  const none = { delivered_at: null, abort_requested_at: null, error_condition: null, total: null };
  await db
    .insertInto('payment_results')
    .values({ payment_id: former, concluded_at: at, ...none, ...ending })
    .execute();
}

const kinds = async () => (await harness.services.explanations.explain(id)).ledger.map(({ kind }) => kind);

test('an answer without an attempt matches an authorization without one', async () => {
  const { terminal, asked } = await started();
  terminal.answerStatus(asked, makeApproval(request, 0, { AttemptID: undefined }));
  expect((await harness.status(id)).body.response).toMatchObject({ result: 'success' });
  expect(await harness.booksAgree()).toMatchObject({ agree: true, concluded: 1 });
});

test('a reversal without an attempt ends the authorization without one', async () => {
  const { terminal, asked } = await started();
  const reverse = { Type: 'Reverse', PaymentReference: id, Reason: 'Malfunction' } as const;
  terminal.send('AcquirerRequest', 'R1', reverse);
  expect((await terminal.next('AcquirerResponse')).body).toEqual({ Type: 'Reverse', PaymentReference: id });
  expect(await kinds()).toEqual(['authorized', 'reversed']);
  terminal.answerStatus(asked, 'NotFound');
  await harness.settle();
});

test('a new attempt replaces an authorization that has none', async () => {
  const { terminal, asked } = await started();
  terminal.answerStatus(asked, 'NotFound');
  const again = await terminal.next('PaymentRequest');
  expect(await terminal.authorize(again)).toMatchObject({ Approved: true });
  terminal.approve(again);
  expect((await harness.status(id)).body.response).toMatchObject({ result: 'success' });
  expect(await kinds()).toEqual(['authorized', 'reversed', 'authorized']);
  expect(await harness.booksAgree()).toMatchObject({ agree: true, concluded: 1 });
});
