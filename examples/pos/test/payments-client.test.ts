import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { OutcomeUnknownError, PaymentsClient } from '../src/payments-client.ts';

const sale = { id: 'sale-1', key: 'key-1', amount: 12.5 };
const paid = { identifier: 'payment-1', response: { result: 'success' } };

/**
 * Starts a payments service that gives these answers one after another. Each further request gets the last answer
 * again.
 */
async function clientOf(...answers: ((response: ServerResponse) => unknown)[]) {
  const server = createServer((_, response) => {
    const [answer] = answers.length > 1 ? answers.splice(0, 1) : answers;
    answer?.(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const waits: number[] = [];
  const wait = async (ms: number) => waits.push(ms);
  return { client: new PaymentsClient({ url, token: 'token', terminalId: 'terminal', wait }), waits };
}

test('an answer that breaks off counts as lost, and the request is sent again', async () => {
  const { client, waits } = await clientOf(
    (response) => {
      response.writeHead(200, { 'content-length': 1_000 });
      response.write('{"identifier":', () => response.destroy());
    },
    (response) => response.end(JSON.stringify(paid)),
  );
  expect(await client.pay(sale)).toEqual(paid);
  expect(waits).toEqual([500]);
});

test('a Retry-After with a date does not shorten the waits', async () => {
  const { client, waits } = await clientOf(
    (response) => response.writeHead(503, { 'retry-after': 'Fri, 02 Jan 2026 09:00:00 GMT' }).end(),
    (response) => response.end(JSON.stringify(paid)),
  );
  expect(await client.pay(sale)).toEqual(paid);
  expect(waits).toEqual([500]);
});

test('an abort of a payment that the service does not know is no success', async () => {
  const { client } = await clientOf((response) => response.writeHead(404).end());
  await expect(client.abort(sale.key)).rejects.toThrow(OutcomeUnknownError);
});
