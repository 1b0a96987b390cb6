import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import { scaledDraws } from '../../test/draws.ts';
import { nastyText } from '../../test/fuzz/bytes.ts';
import { createGateway, type Gateway } from '../index.ts';

/**
 * The tests of this file look for inputs that cause a 500, a hang or a crash. The seed is fixed. You may change it by
 * hand to try other inputs.
 */
const parameters = { seed: 20_260_101, numRuns: scaledDraws(50) } as const;

let gateway: Gateway;
let token: string;
let terminalId: string;
let port: number;
beforeAll(async () => {
  gateway = await createGateway({}, createRuntime());
  port = Number(new URL(gateway.url).port);
  await gateway.accounts.createAccount({ id: 'shop', name: 'Shop', currency: 'EUR' });
  token = (await gateway.tokens.createToken({ accountId: 'shop' })).token ?? '';
  const store = await gateway.terminals.createStore({ accountId: 'shop', name: 'Shop' });
  terminalId = (await gateway.terminals.createTerminal({ poiId: 'V400m-1', storeId: store.id })).id;
});
afterAll(() => gateway.close());

/** Sends bytes, and gives the status code of the answer; undefined if the connection ended without an answer. */
function exchange(head: string, body: Uint8Array): Promise<number | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(head, 'latin1');
      socket.end(body);
    });
    let answer = '';
    socket.on('data', (data) => {
      answer += data.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1];
      resolve(status === undefined ? undefined : Number(status));
    });
  });
}

const paths = () => [
  `/terminals/${terminalId}/payment-request/abort`,
  '/payment-requests/abort',
  '/payment-requests/status',
  '/control/accounts',
  '/control/tokens',
  '/control/terminals',
  '/control/terminals/V400m-1/press',
  '/control/terminals/V400m-1/outcome',
  '/control/cards',
  '/control/clock/advance',
];

const interestingJson = fc.oneof(
  { weight: 3, arbitrary: fc.json({ maxDepth: 6 }) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 3000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  },
  {
    weight: 3,
    arbitrary: fc
      .record(
        {
          transactionId: fc.anything({ withNullPrototype: true }),
          idempotencyKey: fc.oneof(nastyText, fc.integer()),
          id: fc.string(),
          keys: fc.array(fc.string()),
          ms: fc.double(),
          outcome: fc.object(),
          ['__proto__']: fc.object(),
        },
        { requiredKeys: [] },
      )
      .map((value) =>
        JSON.stringify(value, (_key, inner) => (typeof inner === 'bigint' ? String(inner) : inner)),
      ),
  },
);

test('no request body makes the gateway fail', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(),
      fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE', 'GET'),
      fc.oneof(
        interestingJson.map((text) => new TextEncoder().encode(text)),
        fc.uint8Array({ maxLength: 300 }),
      ),
      async (index, method, body) => {
        const path = paths()[index % paths().length] as string;
        const secret = path.startsWith('/control') ? gateway.controlToken : token;
        const status = await exchange(
          `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${secret}\r\n` +
            `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
          body,
        );
        expect(status).toBeDefined();
        expect(status).not.toBe(500);
      },
    ),
    parameters,
  );
});

test('no request address makes the gateway fail', async () => {
  const segment = fc.oneof(
    fc.constantFrom(
      'terminals',
      'control',
      'payments',
      '..',
      '.',
      '',
      '%',
      '%2e%2e',
      '%00',
      '%E0%A4%A',
      '{terminalId}',
      '*',
    ),
    fc.string({ unit: fc.integer({ min: 0x21, max: 0xff }).map((code) => String.fromCharCode(code)) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(segment, { maxLength: 6 }), fc.boolean(), async (segments, absolute) => {
      const path = `${absolute ? 'http://x' : ''}/${segments.join('/')}`;
      for (const secret of [token, gateway.controlToken]) {
        const status = await exchange(
          `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${secret}\r\n\r\n`,
          new Uint8Array(),
        );
        expect(status).toBeDefined();
        expect(status).not.toBe(500);
      }
    }),
    parameters,
  );
});

test('no request headers make the gateway fail', async () => {
  const name = fc.constantFrom(
    'Authorization',
    'Content-Type',
    'Content-Length',
    'Content-Encoding',
    'Transfer-Encoding',
    'Idempotency-Key',
    'Prefer',
    'Request-Id',
    'Expect',
    'Upgrade',
    'Connection',
    'Accept',
    'Last-Event-ID',
    'Host',
  );
  const value = fc.oneof(
    fc.constantFrom(
      'chunked',
      '100-continue',
      'websocket',
      'upgrade',
      'application/json',
      '0',
      '-1',
      'close',
      'gzip',
      'respond-async',
    ),
    fc.string({
      unit: fc.integer({ min: 0x00, max: 0xff }).map((code) => String.fromCharCode(code)),
      maxLength: 40,
    }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(name, value), { maxLength: 8 }),
      fc.constantFrom('/terminals', '/payment-requests/abort', '/control/journal', '/poi', '/emulator'),
      async (headers, path) => {
        const secret = path.startsWith('/control') ? gateway.controlToken : token;
        const lines = headers.map(([header, text]) => `${header}: ${text}\r\n`).join('');
        const status = await exchange(
          `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\nConnection: close\r\n${lines}\r\n`,
          new TextEncoder().encode('{}'),
        );
        expect(status).not.toBe(500);
      },
    ),
    parameters,
  );
  const alive = await fetch(`${gateway.url}/terminals`, { headers: { authorization: `Bearer ${token}` } });
  expect(alive.status).toBe(200);
});
