import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { resolveConfig, startStack } from '../../stack/index.ts';
import { runPinpadInProcess } from './run-pinpad-in-process.ts';

/** The terminal at which `pinpad pay` makes a payment. */

test('an unknown terminal is refused with the terminals of the account', async () => {
  const stack = await startStack(resolveConfig(undefined, { port: 0, memory: true, pacing: 'instant' }));
  onTestFinished(() => stack.close());
  const at = ['--url', stack.url, '--token', stack.tokens[0]?.token ?? ''];
  const { code, stderr } = await runPinpadInProcess(['pay', '5', '--terminal', 'nobody', ...at]);
  expect(stderr).toMatch(/^pinpad: there is no terminal nobody; this account has V400m-\d+, P400-\d+\n$/);
  expect(code).toBe(2);
});

test('an account without terminals is refused with a sentence', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'request-id': 'r' }).end('[]');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code, stderr } = await runPinpadInProcess(['pay', '5', '--url', url, '--token', 'test_x']);
  expect(stderr).toBe('pinpad: the account of this token has no terminal\n');
  expect(code).toBe(2);
});
