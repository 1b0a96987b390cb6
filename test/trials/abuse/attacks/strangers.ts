import { delay, systemClock } from '../../../../shared/clock.ts';
import { configuredContactId, savedCards } from '../../../load/configuration.ts';
import type { AttackTarget, RequestSender } from '../target.ts';

const json = { 'content-type': 'application/json' };

/** Sends many requests without a token, and requests in which one account asks for what belongs to another. */
export async function sendUnauthorizedRequests(target: AttackTarget): Promise<void> {
  while (!target.over) {
    const as: RequestSender = target.one(['nobody', 'wrong', 'hostile']);
    const work = as === 'hostile' ? 2 : 25;
    await Promise.all(Array.from({ length: work }, () => askForAnothers(target, as)));
    await delay(systemClock, target.random.int(20));
  }
}

async function askForAnothers(target: AttackTarget, as: RequestSender): Promise<void> {
  const { world, random } = target;
  const terminal = target.one(world.terminals).identifier;
  const key = `${target.round}-t${random.int(5)}-${random.int(20)}`;
  const card = target.one(savedCards.charged);
  const amount = JSON.stringify({ amount: 1, to_bank_account_id: 'current-account', statement: 'theft' });
  const payment = JSON.stringify({ paymentTransaction: { amountsReq: { requestedAmount: 1 } } });
  const [method, path, body] = target.one([
    ['POST', `/terminals/${terminal}/payment-request`, payment],
    ['GET', `/terminals/${terminal}/payment-request`],
    ['POST', `/terminals/${terminal}/payment-request/abort`],
    ['GET', `/payment-requests/status?idempotencyKey=${key}`],
    ['POST', '/payment-requests/abort', JSON.stringify({ idempotencyKey: key })],
    ['POST', `/contact/${configuredContactId}/creditCards/${card}/charge`, amount],
    ['POST', `/contact/${configuredContactId}/creditCards/${card}/preauthorize`, amount],
    ['GET', `/debit/${terminal}/refunds`],
    ['POST', `/debit/${terminal}/capture`],
    [
      'PUT',
      '/credit',
      JSON.stringify({ amount: 1, from_bank_account: 'current-account', contact_id: configuredContactId }),
    ],
    ['GET', '/control/payments'],
    ['POST', '/control/accounts', '{"name":"mine"}'],
    ['DELETE', `/control/terminals/${terminal}`],
  ] as const);
  const headers: Record<string, string> = body ? { ...json } : {};
  if (method === 'POST' && random.int(2) === 0) headers['idempotency-key'] = key;
  await target.ask({
    method,
    path,
    as,
    headers,
    ...(body === undefined ? {} : { body }),
    expected: as === 'hostile' ? [400, 401, 403, 404, 409, 422] : [401, 429],
  });
}
