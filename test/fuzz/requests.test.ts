import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeTillMessage } from '../../gateway/dialects/adyen/till.fixture.ts';
import { errorTable } from '../../gateway/http/errors.ts';
import { scaledDraws } from '../draws.ts';
import { openStack, type StackHarness } from '../stack/stack-harness.ts';
import { applyFieldMutation, fieldMutation, nastyJson, nastyText } from './bytes.ts';

/**
 * Sends requests that are almost right to a stack with terminals. Checks that these requests get a clear answer and
 * do not harm the next payment.
 */

const runs = scaledDraws(40);
const seed = Number(process.env.PINPAD_FUZZ_SEED ?? 20_260_101);
const parameters = { seed, numRuns: runs };

let harness: StackHarness;
beforeAll(async () => {
  harness = await openStack({ adyen: true });
});
afterAll(() => harness.close());

interface Answer {
  status: number;
  headers: Headers;
  body: { error?: string; message?: string; identifier?: string } | undefined;
}

/**
 * Checks that the answer is as the OpenAPI document describes it. A refusal must be in the error envelope, and must not
 * be an internal error.
 */
function isClear({ status, headers, body }: Answer): void {
  expect(status).not.toBe(500);
  expect(headers.get('request-id')).toMatch(/^[\w.:-]+$/);
  if (status < 400) return;
  expect(body?.message).toEqual(expect.any(String));
  expect(errorTable).toHaveProperty(body?.error ?? '');
  expect(errorTable[body?.error as keyof typeof errorTable].status).toBe(status);
}

async function stillTakesAPayment(): Promise<void> {
  const paying = harness.pay(10);
  await harness.settled();
  const tapped = await harness.act('tap', { card: 'phone' });
  expect(tapped.body).toMatchObject({ terminal: harness.poiId });
  expect((await paying).body.response.result).toBe('success');
  expect((await harness.control('GET', '/books')).body).toMatchObject({ agree: true, open: 0 });
  expect(harness.journal('warning')).toEqual([]);
}

const payment = {
  paymentTransaction: { amountsReq: { requestedAmount: 12.5 } },
  saleData: { saleReferenceId: 'order-1' },
  transactionConditions: {
    allowedPaymentBrand: ['visa', 'mc'],
    debitPreferredFlag: true,
    merchantCategoryCode: '5812',
    customerLanguage: 'de',
    forceEntryMode: ['icc', 'contactless'],
  },
  gratuity: {
    enabled: true,
    options: [{ type: 'percentage', value: 15 }, { type: 'percentage', value: 20 }, { type: 'custom' }],
  },
};

const keyHeader = fc.option(
  fc.string({
    unit: fc
      .integer({ min: 0x20, max: 0xff })
      .map((code) => String.fromCharCode(code === 0x7f ? 0x20 : code)),
    minLength: 1,
    maxLength: 300,
  }),
  { nil: undefined },
);

test('payment requests with errors are answered without harm', async () => {
  const changes = fc.array(fieldMutation, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(changes, keyHeader, async (mutations, key) => {
      const body = mutations.reduce<unknown>(applyFieldMutation, payment);
      const answer = await harness.http<Answer['body']>(
        'POST',
        `/terminals/${harness.terminalId}/payment-request`,
        JSON.stringify(body) ?? 'null',
        { prefer: 'respond-async', ...(key === undefined ? {} : { 'idempotency-key': key }) },
      );
      isClear(answer);
      if (answer.status !== 202) return;
      const abort = await harness.http('POST', '/payment-requests/abort', {
        transactionId: answer.body?.identifier,
      });
      expect(abort.status).toBe(204);
      await harness.settled();
    }),
    parameters,
  );
  await stillTakesAPayment();
});

/** Sends a message, and lets time pass until the answer comes, because a correct message goes to the terminal. */
async function answerTo(body: string): Promise<Answer> {
  const key = { 'x-api-key': harness.stack.tokens[0]?.token ?? '' };
  let answer: Answer | undefined;
  const asked = harness.http<Answer['body']>('POST', '/sync', body, key).then((given) => {
    answer = given;
  });
  for (let ms = 0; !answer && ms < 400_000; ms += 5_000) await harness.advance(5_000);
  await asked;
  return answer as Answer;
}

test('reversals with errors are answered without harm', async () => {
  await stillTakesAPayment();
  const { body: ledger } = await harness.control<{ kind: string; pspReference: string }[]>('GET', '/ledger');
  const TransactionID = ledger.find(({ kind }) => kind === 'authorized')?.pspReference;
  const header = { POIID: harness.poiId };
  const reversal = {
    OriginalPOITransaction: { POITransactionID: { TransactionID, TimeStamp: '2026-01-01T00:00:00.000Z' } },
    ReversalReason: 'MerchantCancel',
    ReversedAmount: 0.5,
  };
  let count = 0;
  const changes = fc.array(fieldMutation, { minLength: 1, maxLength: 2 });
  await fc.assert(
    fc.asyncProperty(changes, async (mutations) => {
      const body = makeTillMessage('Reversal', `R${count++}`, reversal, header);
      const wrong = mutations.reduce<unknown>(applyFieldMutation, body);
      const { status } = await answerTo(JSON.stringify(wrong) ?? 'null');
      expect([200, 400, 401, 404, 422]).toContain(status);
    }),
    parameters,
  );
  const books = await harness.control('GET', '/books');
  expect(books.body).toMatchObject({ agree: true, open: 0, givenBack: [] });
  await stillTakesAPayment();
});

const handles = ['insert', 'tap', 'swipe', 'press', 'key-in', 'network', 'outcome', 'shopper'] as const;
const handBodies: Record<(typeof handles)[number], object> = {
  insert: { card: 'visa-credit' },
  tap: { card: 'visa-credit' },
  swipe: { card: 'visa-credit' },
  press: { keys: ['1', 'enter'] },
  'key-in': { number: '4111111111111111', expiry: '1249' },
  network: { up: true },
  outcome: { outcome: { type: 'late', delayMs: 1000 }, mode: 'once' },
  shopper: { card: 'visa-credit', entry: 'ICC', tip: 'none', thinkMs: 300_000 },
};

test('control calls with errors are answered without harm', async () => {
  const changes = fc.array(fieldMutation, { minLength: 1, maxLength: 2 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...handles), changes, async (act, mutations) => {
      const body = JSON.stringify(mutations.reduce<unknown>(applyFieldMutation, handBodies[act])) ?? 'null';
      const method = act === 'outcome' || act === 'shopper' ? 'PUT' : 'POST';
      isClear(await harness.http<Answer['body']>(method, `/control/terminals/${harness.poiId}/${act}`, body));
    }),
    parameters,
  );
  for (const [method, path] of [
    ['DELETE', 'shopper'],
    ['DELETE', 'outcome'],
    ['POST', 'remove'],
  ] as const)
    await harness.control(method, `/terminals/${harness.poiId}/${path}`);
  await harness.control('POST', `/terminals/${harness.poiId}/network`, { up: true });
  await harness.advance(20_000);
  await stillTakesAPayment();
});

test('queries with errors are answered without harm', async () => {
  const paths = fc.constantFrom(
    '/payment-requests/status?transactionId=',
    '/payment-requests/status?idempotencyKey=',
    '/payment-requests/status?idempotencyKey=a&transactionId=',
    '/control/payments/',
    '/control/payments?before=',
    '/control/ledger?payment=',
    '/control/ledger?before=',
    '/control/journal?since=',
    '/control/journal?kind=',
    '/terminals/',
    '/control/terminals/',
  );
  await fc.assert(
    fc.asyncProperty(paths, nastyText, fc.boolean(), async (path, text, encoded) => {
      const tail = encoded
        ? encodeURIComponent(text.toWellFormed())
        : text.replaceAll(/[^\x21-\x7e]|[#?]/g, '');
      isClear(await harness.http<Answer['body']>('GET', path + tail));
    }),
    parameters,
  );
});

test('JSON bodies that are no requests are answered without harm', async () => {
  await fc.assert(
    fc.asyncProperty(nastyJson, async (text) => {
      const answer = await harness.http<Answer['body']>(
        'POST',
        `/terminals/${harness.terminalId}/payment-request`,
        text,
      );
      isClear(answer);
      expect([400, 413]).toContain(answer.status);
    }),
    parameters,
  );
});

/** Sends bytes unchanged and returns everything that comes back. */
async function raw(bytes: string | Uint8Array): Promise<string> {
  const { hostname, port } = new URL(harness.stack.url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.on('data', (data) => {
    answer += data.toString('latin1');
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.end(bytes);
  await once(socket, 'close');
  return answer;
}

const path = () => `/terminals/${harness.terminalId}/payment-request`;
const head = (headers: Record<string, string>) =>
  `POST ${path()} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${harness.stack.tokens[0]?.token}\r\n` +
  `${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;
const json = { 'Content-Type': 'application/json' };
const sized = (body: Uint8Array | string, headers: Record<string, string> = json) =>
  Buffer.concat([
    Buffer.from(head({ ...headers, 'Content-Length': String(Buffer.byteLength(body)) })),
    Buffer.from(body),
  ]);

test.each<[string, () => string | Uint8Array, string]>([
  ['not UTF-8', () => sized(Buffer.from([0x22, 0xff, 0xfe, 0x22])), '400'],
  ['49 000 levels deep', () => sized('['.repeat(49_000) + ']'.repeat(49_000)), '400'],
  ['over 100 kB', () => sized(`{"a":"${'x'.repeat(110_000)}"}`), '413'],
  [
    'over 100 kB in chunks',
    () => `${head({ ...json, 'Transfer-Encoding': 'chunked' })}1ADB0\r\n${'x'.repeat(110_000)}\r\n0\r\n\r\n`,
    '413',
  ],
  ['compressed', () => sized('{}', { ...json, 'Content-Encoding': 'gzip' }), '415'],
  ['of another type', () => sized('{}', { 'Content-Type': 'text/plain' }), '415'],
  [
    'of two lengths',
    () =>
      `${head({ ...json, 'Content-Length': '2' }).replace('\r\n\r\n', '\r\nContent-Length: 3\r\n\r\n')}{}`,
    '400',
  ],
  [
    'of a length and chunks',
    () => `${head({ ...json, 'Content-Length': '2', 'Transfer-Encoding': 'chunked' })}2\r\n{}\r\n0\r\n\r\n`,
    '400',
  ],
  ['under a header of 20 kB', () => head({ ...json, 'Idempotency-Key': 'k'.repeat(20_000) }), '431'],
  ['no HTTP at all', () => Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01]), '400'],
])('a request that is %s is answered with a clear error', async (_what, bytes, status) => {
  const answer = await raw(bytes());
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(answer).toMatch(/\r\nRequest-Id: /i);
  expect(answer).toMatch(/"error":"\w+"/);
});

test('a body that never arrives in full affects no other request', async () => {
  expect(await raw(`${head({ ...json, 'Content-Length': '500' })}{"payment`)).not.toMatch(/^HTTP\/1\.1 [25]/);
  await stillTakesAPayment();
});

test('two requests in one packet are both answered, in order', async () => {
  const one = `GET /terminals HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${harness.stack.tokens[0]?.token}\r\n`;
  const answers = await raw(`${one}\r\n${one}Connection: close\r\n\r\n`);
  expect(answers.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
});
