import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { ApiError } from './errors.ts';
import { commonEndpointParts, exampleUuid, openTestServer, sendRawText } from './server.fixture.ts';

const number = '4111111111111111';
const masked = '411111 **** 1111';
const secret = 'Zk3nV-9QxT_b2LwYp0RcHs8mJdE4uAfG6iKoNq1tSvX'; // 32 bytes in Base64url, as in a payment link

const card = defineEndpoint({
  ...commonEndpointParts,
  route: 'POST /control/cards/{cardId}/reset',
  guard: 'control',
  params: z.object({ cardId: z.string() }),
  body: z.object({ card: z.string() }),
  errors: ['notFound', 'invalidRequest'],
  handle: async ({ params, body }) => {
    if (body.card.startsWith('field'))
      throw new ApiError('invalidRequest', {
        details: [{ path: body.card, message: `${body.card} is odd` }],
      });
    throw new ApiError('notFound', { message: `There is no card ${params.cardId}, nor ${body.card}` });
  },
});
const pay = defineEndpoint({
  ...commonEndpointParts,
  route: 'GET /pay/{token}',
  guard: 'open',
  journaled: 'nothing',
  params: z.object({ token: z.string() }),
  responses: { 410: { description: 'd' } },
  handle: async () => ({ status: 410 }),
});

async function harness() {
  const it = await openTestServer({ endpoints: [card, pay] });
  const everything = () => JSON.stringify(it.runtime.journal.since());
  const reset = (cardId: string, body: object) =>
    it.post(
      JSON.stringify(body),
      { Authorization: 'Bearer the-control-token' },
      `/control/cards/${cardId}/reset`,
    );
  return { ...it, everything, reset };
}

test.each([
  ['plain', number],
  ['spaced', '4111 1111 1111 1111'],
  ['with dashes', '4111-1111-1111-1111'],
])(
  'a card number that is sent %s instead of a card’s id is masked in the journal and the error',
  async (_how, sent) => {
    const { reset, everything } = await harness();
    const answers = [
      await reset(encodeURIComponent(sent), { card: sent }),
      await reset('a', { card: `field ${sent}` }),
    ];
    for (const answer of answers) {
      const text = await answer.text();
      expect(text).toContain(masked);
      expect(text).not.toContain(sent);
    }
    expect(everything()).toContain(`/control/cards/${masked}/reset`);
    expect(everything()).toContain(`"body":{"card":"${masked}"}`);
    expect(everything()).not.toContain(sent);
    expect(everything()).not.toContain(encodeURIComponent(sent));
  },
);

test.each([
  ['a number of JSON', JSON.stringify({ amount: 1, pan: Number(number) })],
  ['the name of a field', JSON.stringify({ amount: 1, [number]: true })],
  ['text around it', JSON.stringify({ amount: 1, tags: [`paid by ${number}, thanks`] })],
  ['a track', JSON.stringify({ amount: 1, tags: [`%B${number}^DOE/JANE^2512101`, `;${number}=2512101`] })],
])(
  'a card number as %s is masked in the journal, and the handler gets it as it was sent',
  async (_how, body) => {
    const { post, everything, calls } = await harness();
    expect((await post(body)).status).toBe(201);
    expect(everything()).toContain(masked);
    expect(everything()).not.toContain(number);
    expect(JSON.stringify(calls[0]?.json)).toBe(body);
  },
);

test('a card number in headers, query and Request-Id is masked too', async () => {
  const { post, everything } = await harness();
  const headers = { 'Idempotency-Key': number, Prefer: number, 'Request-Id': number };
  const answer = await post(
    '{"amount":1}',
    headers,
    `/things/${exampleUuid}?x=4111+1111%201111%2D%31111&y=%254111111111111111`,
  );
  expect(answer.headers.get('request-id')).not.toBe(number);
  expect(await answer.text()).not.toContain(number);
  expect(everything()).toContain(`"idempotency-key":"${masked}"`);
  expect(everything().replaceAll(/[^0-9]/g, '')).not.toContain(number);
});

test('a card number at the end of shortened text is still recognised and masked', async () => {
  const { post, everything } = await harness();
  await post(
    '{"amount":1}',
    { 'Idempotency-Key': `${'x'.repeat(240)} ${number}` },
    `/${'x/'.repeat(1018)}${number}`,
  );
  await post(JSON.stringify({ amount: 1, [`${'x'.repeat(240)} ${number}`]: 1 }));
  expect(everything()).not.toContain('41111111');
});

test('keys with the same first six and last four digits look different in the journal, and one key always the same', async () => {
  const { post, journal } = await harness();
  for (const key of ['4111111111111111', '4111110000091111', '4111111111111111'])
    await post('{"amount":1}', { 'Idempotency-Key': key });
  const keys = journal('http.received').map(
    ({ data }) => (data as { headers?: Record<string, string> }).headers?.['idempotency-key'],
  );
  expect(keys).toEqual([masked, `${masked} (2)`, masked]);
});

test('the journal says for lint in which place a request had a card number', async () => {
  const { post, journal } = await harness();
  await post(JSON.stringify({ amount: 1, tags: ['x', number] }), { 'Idempotency-Key': number });
  await post('{"amount":1,"tags":["4111111111111112"]}');
  expect(journal('request.cardNumber').map(({ data }) => data)).toEqual([
    expect.objectContaining({ paths: ['idempotency-key', 'tags.1'] }),
  ]);
});

test.each([
  `/pay/${secret}`,
  `/pay/${secret}/`,
  `//pay/${secret}`,
  `/PAY/${secret}`,
  `/Pay//${secret}?step=1`,
  `/pay/${secret}%`,
  `/pay/%5A${secret.slice(1)}/`,
  `/p%61y/${secret}`,
  `/%70%61%79%2F${secret}`,
  `/%2570ay/${secret}`,
  `/pay%2f${secret}`,
  `/pay;/${secret}`,
  `/pay${secret}`,
  `/pay-${secret}`,
  `/pay/${secret.slice(0, 42)}`,
  `/./pay/${secret}`,
  `/things/../pay/${secret}`,
  `/control/../pay/${secret}`,
  `/things/http://localhost/pay/${secret}`,
  `/things/x?next=/pay/${secret}`,
  `/things/x?next=%2Fpay%2F${secret}`,
  `/${secret}`,
  `/pay?${secret}`,
  `/pay/${secret}#x`,
  `http://example.com/pay/${secret}/`,
  `ftp://example.com/pay/${secret}`,
  `/${'x/'.repeat(1005)}${secret}`,
])('the secret of a payment link is in no journal: %s', async (target) => {
  const { port, everything } = await harness();
  for (const method of ['GET', 'POST', 'BREW']) {
    await sendRawText(
      port,
      `${method} ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sandbox-token\r\n` +
        `Referer: http://x${target}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
    );
  }
  for (const part of [secret.slice(0, 30), secret.slice(-30)]) expect(everything()).not.toContain(part);
});

test.each([
  '/things/pay-1?idempotencyKey=pay-2',
  `/contact/contact-${exampleUuid}/creditCards/visa/charge`,
  '/payments/1',
  '/prepay/1',
  `/payment-requests/status?idempotencyKey=${secret}`,
])('a path that is not that of a payment link is in the journal as it was sent: %s', async (path) => {
  const { send, journal } = await harness();
  await send(path);
  expect(journal('http.received')[0]?.data).toMatchObject({ path });
});

test('browsers do not store answers of the control API, because some contain secrets', async () => {
  const { send } = await openTestServer();
  const answer = await send('/control/things', { token: 'the-control-token' });
  expect(answer.headers.get('cache-control')).toBe('no-store');
});
