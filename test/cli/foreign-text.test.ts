import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { resolveConfig, startStack } from '../../stack/index.ts';
import { runPinpadInProcess } from './run-pinpad-in-process.ts';

/**
 * Checks that text from another gateway or from a user is printed as plain text: it does not add rows, move the cursor
 * or reverse the direction of writing.
 */

/** A name that the API accepts (B120), or that another gateway may send. */
const taken = 'till\u202e\n019b-made-up  demo-shop  sandbox  valid\u2066';
const takenPrinted = 'till? 019b-made-up  demo-shop  sandbox  valid?';
const hostile = `${taken}\r\u001b[2J\u009bJ`;
const obeyed = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

async function gateway() {
  const stack = await startStack(resolveConfig(undefined, { port: 0, memory: true, pacing: 'instant' }));
  onTestFinished(() => stack.close());
  return { stack, at: ['--url', stack.url, '--control-token', stack.controlToken] };
}

test('token list has a row for each token, whatever their labels say', async () => {
  const { stack, at } = await gateway();
  const [{ account } = { account: '' }] = stack.tokens;
  await stack.gateway.tokens.createToken({ accountId: account, label: taken });
  const { stdout } = await runPinpadInProcess(['token', 'list', ...at]);
  const rows = await stack.gateway.tokens.listTokens(account);
  expect(stdout.split('\n')).toHaveLength(rows.length + 1);
  expect(stdout).toContain(`valid  ${takenPrinted}\n`);
  const json = (await runPinpadInProcess(['token', 'list', '--json', ...at])).stdout;
  expect(json).not.toMatch(obeyed);
  expect(JSON.parse(json)).toContainEqual(expect.objectContaining({ label: taken }));
});

test('lint prints the input of a point of sale as harmless text', async () => {
  const { stack, at } = await gateway();
  const [{ identifier } = { identifier: '' }] = stack.terminals;
  await fetch(`${stack.url}/terminals/${identifier}/payment-request`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${stack.tokens[0]?.token}`,
      'content-type': 'application/json',
      prefer: 'respond-async',
    },
    body: JSON.stringify({ paymentTransaction: { amountsReq: { requestedAmount: 5 } }, [taken]: 1 }),
  });
  const { stdout } = await runPinpadInProcess(['lint', ...at]);
  expect(stdout).toContain(takenPrinted);
  expect(stdout).not.toMatch(obeyed);
  const json = (await runPinpadInProcess(['lint', '--json', ...at])).stdout;
  expect(json).not.toMatch(obeyed);
  expect(JSON.parse(json).map(({ what }: { what: string }) => what)).toContainEqual(
    expect.stringContaining(taken),
  );
});

test.each([
  ['token list', ['token', 'list']],
  ['listen', ['listen']],
  ['pay', ['pay', '5', '--token', 'test_x']],
  ['trace', ['trace', '--output', 'trace.html']],
])("%s prints another gateway's refusal as one line", async (_, args) => {
  const server = createServer((_request, response) => {
    response.writeHead(400, { 'content-type': 'application/json', 'request-id': 'r' });
    response.end(JSON.stringify({ error: 'invalidRequest', message: hostile }));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code, stderr } = await runPinpadInProcess([...args, '--url', url, '--control-token', 'control_x']);
  expect(code).toBe(2);
  expect(stderr).not.toMatch(obeyed);
  expect(stderr).toMatch(/^pinpad: [^\n]*valid\? \?\[2J\?J\n$/);
});
