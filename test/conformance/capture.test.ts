import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect, test } from 'vitest';
import { createGateway } from '../../gateway/index.ts';
import { createRuntime } from '../../shared/create-runtime.ts';
import { captureExchanges } from './capture.ts';
import type { Exchange } from './conformance.ts';
import { findConformanceFaults } from './faults-of.ts';

test('the traffic to a gateway is captured as it was, with the document that the gateway serves', async () => {
  const seen: Promise<{ exchange: Exchange; faults: string[] }>[] = [];
  const { announce } = captureExchanges((exchange, endpoints) =>
    seen.push(endpoints().then((served) => ({ exchange, faults: findConformanceFaults(exchange, served) }))),
  );
  subscribe('pinpad:http-server', announce);
  const gateway = await createGateway({}, createRuntime());
  unsubscribe('pinpad:http-server', announce);
  const body = '{"id":"shop","name":"Shop","currency":"EUR"}';
  const answer = await fetch(`${gateway.url}/control/accounts?x=1`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.controlToken}`, 'content-type': 'application/json' },
    body,
  });
  const text = await answer.text();
  await gateway.close();
  expect(seen).toHaveLength(1);
  expect(await seen[0]).toMatchObject({
    exchange: {
      method: 'POST',
      target: '/control/accounts?x=1',
      requestBody: body,
      status: answer.status,
      headers: { 'request-id': answer.headers.get('request-id'), 'content-type': 'application/json' },
      body: text,
    },
    faults: [],
  });
});
