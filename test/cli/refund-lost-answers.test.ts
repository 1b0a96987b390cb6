import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { runPinpadInProcess } from './run-pinpad-in-process.ts';

type Answer = (response: ServerResponse) => unknown;

const json = (status: number, body: unknown): Answer => {
  return (response) =>
    response
      .writeHead(status, { 'request-id': '1', 'content-type': 'application/json' })
      .end(JSON.stringify(body));
};
const refuse = (status: number, error: string): Answer => json(status, { error, message: 'said the server' });
const breakConnection: Answer = (response) => response.destroy();
const refund = { identifier: 'R1', kind: 'refund', currency: 'EUR', total: 5, reason: null };

/**
 * Runs `pinpad refund 5` at a server. `calls` has a list of answers for each call. Each time the server gets a call, it
 * sends the next answer of that call's list.
 */
async function refundAt(calls: { refund: Answer[]; status?: Answer[]; receipts?: Answer[] }) {
  const left = Object.fromEntries(Object.entries(calls).map(([name, answers]) => [name, [...answers]]));
  const server = createServer(({ url = '' }, response) => {
    const call = /\/payments\//.test(url) ? 'status' : (url.split('/').at(-1) ?? '');
    (left[call]?.shift() ?? refuse(404, 'notFound'))(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return runPinpadInProcess([
    ...['refund', '5', '--terminal', 'T1', '--key', 'once'],
    ...['--url', url, '--control-token', 'control_x'],
  ]);
}

test.each([
  ['an answer was lost', { refund: [breakConnection, refuse(409, 'alreadyGivenBack')] }],
  [
    'the request was accepted',
    { refund: [json(200, { ...refund, state: 'accepted' })], status: [refuse(401, 'unauthorized')] },
  ],
])('if %s, a later refusal leaves the outcome of a refund unknown (B505)', async (_what, calls) => {
  const { code, stdout, stderr } = await refundAt(calls);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(
    /the outcome is unknown: .*said the server.*To see the outcome, run "pinpad refund" again with --key once\. This does not give/,
  );
});

test('after a refund has ended, Ctrl-C does not press the red key, and failed output sets the exit code', async () => {
  const before = process.listenerCount('SIGINT');
  let during: number | undefined;
  const ended = await refundAt({
    refund: [json(200, { ...refund, state: 'concluded', result: 'success' })],
    receipts: [
      (response) => {
        during = process.listenerCount('SIGINT');
        process.stdout.emit('error', new Error('the disk is full'));
        json(200, [])(response);
      },
    ],
  });
  expect(during).toBe(before);
  expect(ended).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('cannot write to standard output'),
  });
});
