import { expect, test } from 'vitest';
import { type StackHarness, stackHarness } from '../../test/stack/stack-harness.ts';
import { lintJournal } from './lint-journal.ts';

const key = (value: string) => ({ 'idempotency-key': value });

type Sends = (harness: StackHarness) => Promise<{ status: number }>;
const payment = (harness: StackHarness) => `/terminals/${harness.terminalId}/payment-request`;
const body = (requestedAmount: unknown) => ({ paymentTransaction: { amountsReq: { requestedAmount } } });

const refused: [string, number, Sends, RegExp][] = [
  [
    'an amount as text',
    400,
    (harness) => harness.http('POST', payment(harness), body('12.50'), key('a')),
    /amounts as JSON numbers/,
  ],
  [
    'too many decimals',
    400,
    (harness) => harness.pay(12.505, {}, key('a')),
    /rounded to the currency's decimals/,
  ],
  [
    'a body that is not JSON',
    400,
    (harness) => harness.http('POST', payment(harness), '{', key('a')),
    /JSON library/,
  ],
  [
    'a wrong token',
    401,
    (harness) => harness.pay(1, {}, { ...key('a'), authorization: 'Bearer wrong' }),
    /Authorization: Bearer TOKEN/,
  ],
  ['a wrong path', 404, (harness) => harness.http('GET', '/terminals/list'), /OpenAPI document/],
  [
    'an unknown terminal',
    404,
    (harness) => harness.http('POST', '/terminals/V400m-1/payment-request', body(1), key('a')),
    /GET \/terminals/,
  ],
  [
    'a wrong method',
    405,
    (harness) => harness.http('PUT', payment(harness), body(1)),
    /methods that this path has: POST, GET/,
  ],
  [
    'no JSON by its type',
    415,
    (harness) =>
      harness.http('POST', payment(harness), body(1), { ...key('a'), 'content-type': 'text/plain' }),
    /Content-Type: application\/json/,
  ],
];

test.each(refused)(
  '%s is refused (%i), and the finding says what to send (B253)',
  async (_what, status, sends, fix) => {
    const harness = await stackHarness();
    for (let times = 0; times < 3; times++) expect((await sends(harness)).status).toBe(status);
    const findings = lintJournal(harness.journal());
    expect(findings).toMatchObject([{ rule: 'refused-request', severity: 'warning', count: 3 }]);
    expect(findings[0]?.fix).toMatch(fix);
    expect(findings[0]?.what).toContain(`was refused with ${status}`);
  },
);

test('a refusal that depends on circumstances is not blamed on the POS, nor is a stranger at another path (B253)', async () => {
  const harness = await stackHarness();
  expect((await harness.http('GET', '/payment-requests/status?idempotencyKey=never')).status).toBe(404);
  expect((await harness.http('GET', payment(harness))).status).toBe(404);
  expect((await harness.pay(20_000, {}, key('a'))).status).toBe(422);
  expect((await fetch(`${harness.stack.url}/.env`)).status).toBe(401);
  expect(lintJournal(harness.journal())).toEqual([]);
});
