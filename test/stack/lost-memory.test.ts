import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { stackHarness } from './stack-harness.ts';

/** The ledger of one payment, as GET /control/payments/{id} returns it. */
interface Explained {
  ledger: { kind: string; card: string | null; attemptId: string | null }[];
}

const folder = mkdtempSync(join(tmpdir(), 'pinpad-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a terminal that lost its memory charges the card in the reported result, and no other (B134)', async () => {
  const harness = await stackHarness({ memory: false, data: folder });
  await harness.control('PUT', `/terminals/${harness.poiId}/outcome`, { outcome: { type: 'silent' } });
  const held = harness.pay(25, {}, { 'idempotency-key': 'lost' });
  await harness.settled();
  await harness.act('tap', { card: 'visa-credit' });
  await harness.settled();
  expect(harness.journal('ledger.authorized')).toHaveLength(1);
  const { identifier } = (await harness.control<{ identifier: string }[]>('GET', '/payments')).body[0]!;
  await harness.control('DELETE', `/payments/${identifier}/outcome`);

  await harness.loseTerminalMemory();
  expect((await held).status).toBe(303);
  await harness.until('presentCard');
  await harness.act('tap', { card: 'mc-credit' });
  await harness.settled();

  const { body } = await harness.http('GET', '/payment-requests/status?idempotencyKey=lost');
  expect(body.response.result).toBe('success');
  const reported = body.paymentResult?.paymentInstrumentData.cardData.maskedPan;
  const { ledger } = (await harness.control<Explained>('GET', `/payments/${identifier}`)).body;
  const [first, back, second] = ledger;
  expect(ledger.map(({ kind }) => kind)).toEqual(['authorized', 'reversed', 'authorized']);
  expect(second?.card).toBe(reported);
  expect(first?.card).not.toBe(reported);
  expect(back?.attemptId).toBe(first?.attemptId);
  expect((await harness.control('GET', '/books')).body).toMatchObject({ agree: true, open: 0 });
});
