import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { stackBed } from './stack-bed.ts';

/** What one payment's book says, as GET /control/payments/{id} gives it. */
interface Explained {
  ledger: { kind: string; card: string | null; attemptId: string | null }[];
}

const folder = mkdtempSync(join(tmpdir(), 'pinpad-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a terminal that lost its memory charges the card that the POS is told of, and no other', async () => {
  const bed = await stackBed({ memory: false, data: folder });
  await bed.control('PUT', `/terminals/${bed.poiId}/outcome`, { outcome: { type: 'silent' } });
  const held = bed.pay(25, {}, { 'idempotency-key': 'lost' });
  await bed.settled();
  await bed.act('tap', { card: 'visa-credit' });
  await bed.settled();
  expect(bed.journal('ledger.authorized')).toHaveLength(1);
  const { identifier } = (await bed.control<{ identifier: string }[]>('GET', '/payments')).body[0]!;
  await bed.control('DELETE', `/payments/${identifier}/outcome`);

  await bed.loseTerminalMemory();
  expect((await held).status).toBe(303);
  await bed.until('presentCard');
  await bed.act('tap', { card: 'mc-credit' });
  await bed.settled();

  const { body } = await bed.http('GET', '/payment-requests/status?idempotencyKey=lost');
  expect(body.response.result).toBe('success');
  const told = body.paymentResult?.paymentInstrumentData.cardData.maskedPan;
  const { ledger } = (await bed.control<Explained>('GET', `/payments/${identifier}`)).body;
  const [first, back, second] = ledger;
  expect(ledger.map(({ kind }) => kind)).toEqual(['authorized', 'reversed', 'authorized']);
  expect(second?.card).toBe(told);
  expect(first?.card).not.toBe(told);
  expect(back?.attemptId).toBe(first?.attemptId);
  expect((await bed.control('GET', '/books')).body).toMatchObject({ agree: true, open: 0 });
});
