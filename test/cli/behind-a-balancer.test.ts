import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { CuttingTcpProxy } from '../cutting-tcp-proxy.ts';
import { testThoroughly } from '../optional-programs.ts';
import { PinpadProcess, type ReadyPinpad } from './pinpad-process.ts';
import { runPinpadInProcess } from './run-pinpad-in-process.ts';

const testInCi = testThoroughly();

/** Runs commands that reach a gateway through a balancer, at an address that is not the gateway's own. */

let folder: string;
let gateway: PinpadProcess;
let ready: ReadyPinpad;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pinpad-balanced-'));
  const quick = ['--pacing', 'instant', '--auto', 'visa-credit'];
  gateway = new PinpadProcess(['up', '--port', '0', '--data', folder, '--json', ...quick]);
  ready = await gateway.ready();
}, 60_000);
afterAll(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true });
});

const run = (args: string[], env: Record<string, string> = {}) => {
  const process = new PinpadProcess(args, env);
  onTestFinished(() => void process.child.kill('SIGKILL'));
  return process;
};

/**
 * Answers the first `times` requests like a gateway whose database is gone, and passes all later ones to the real
 * gateway.
 */
async function unavailableFor(times: number): Promise<{ url: string; asked: () => number }> {
  let asked = 0;
  const server = createServer((call, answer) => {
    if (asked++ < times) {
      answer.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' });
      return void answer.end('{"error":"unavailable","message":"The gateway cannot store data at present"}');
    }
    const { method, url: path = '', headers } = call;
    if (path.startsWith('/control/')) return; // this request gets no answer, as if the answer took very long
    const { port } = new URL(ready.url);
    const passed = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) => {
      answer.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(answer);
    });
    call.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked };
}

async function wireToGateway(): Promise<{ url: string; wire: CuttingTcpProxy }> {
  const wire = await CuttingTcpProxy.open(Number(new URL(ready.url).port));
  onTestFinished(() => wire.close());
  return { url: `http://127.0.0.1:${wire.port}`, wire };
}

test('the command pay retries if a gateway cannot work, and the sale is made', async () => {
  const { url } = await unavailableFor(1);
  const env = { PINPAD_TOKEN: ready.token, PINPAD_CONTROL_TOKEN: ready.controlToken };
  const paid = await runPinpadInProcess(['pay', '3', '--url', url], env);
  expect(paid).toMatchObject({ code: 0, stdout: expect.stringContaining('APPROVED EUR 3.00') });
  expect(paid.stderr).toContain('Asking for the terminals again, because GET /terminals answered 503');
  expect(paid.stderr).not.toContain('no live progress');
});

test('the command pay shows the answer that it got, and mentions the token only if it was refused', async () => {
  const { url, asked } = await unavailableFor(0);
  const refused = await runPinpadInProcess(['pay', '3', '--url', url, '--token', 'test_another']);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('401: is the token right?') });
  expect(asked()).toBe(1);
});

test('a missing option beside --url is named with its variable', async () => {
  const { url } = ready;
  expect((await runPinpadInProcess(['pay', '3', '--url', url])).stderr).toContain(
    '--token (or PINPAD_TOKEN)',
  );
  const listened = await runPinpadInProcess(['listen', '--url', url]);
  expect(listened.stderr).toContain('--control-token (or PINPAD_CONTROL_TOKEN)');
});

test('the command console prints a link with the address that it was given', async () => {
  const { url } = await wireToGateway();
  const env = { PINPAD_CONTROL_TOKEN: ready.controlToken };
  const printed = await run(['console', '--url', url], env).ended();
  expect(printed.stdout).toMatch(new RegExp(`^${url}/console#sign-in=\\S+\\n$`));
});

testInCi(
  'the commands listen and trace reconnect when their connection ends, and an outcome is shown once',
  async () => {
    const { url, wire } = await wireToGateway();
    const env = { PINPAD_CONTROL_TOKEN: ready.controlToken };
    const listen = run(['listen', '--all', '--url', url], env);
    const trace = run(['trace', '--url', url], env);
    await listen.logged('Listening');
    await trace.printed('Ctrl-C ends');
    const pay = async (amount: string) =>
      expect(await runPinpadInProcess(['pay', amount, '--data', folder])).toMatchObject({ code: 0 });
    await pay('4.10');
    await listen.printed('EUR 4.10');

    wire.dropAll();
    for (const each of [listen, trace]) await each.logged(`The connection to ${url} ended; connecting again`);
    await pay('4.20');
    const outcomes = await listen.printed('EUR 4.20');
    expect(outcomes.match(/EUR 4\.[12]0/g)).toEqual(['EUR 4.10', 'EUR 4.20']);
    expect((await listen.stop()).code).toBe(0);
    expect((await trace.stop()).code).toBe(0);
  },
  60_000,
);

const commands = [
  ['pay', '5', '--token', 'test_any'],
  ['lint', '--control-token', 'control_any'],
  ['console', '--control-token', 'control_any'],
  ['listen', '--control-token', 'control_any'],
];
const json = { 'content-type': 'application/json' };
/** Answers that come from a gateway's URL if a program other than pinpad listens there. */
const foreign: [what: string, status: number, headers: Record<string, string>, body: string][] = [
  ['JSON', 200, json, '{}'],
  ['a page', 200, { 'content-type': 'text/html', 'request-id': 'its-own' }, '<html>'],
  ['a page that is called JSON', 200, { ...json, 'request-id': 'its-own' }, '<html>'],
  ['nothing', 200, { 'request-id': 'its-own' }, ''],
  ['that there is no such page', 404, { 'content-type': 'text/html' }, '<html>\nno such page\n</html>'],
  ['where to sign in', 302, { location: '/login' }, ''],
];

test.each(foreign)(
  'an address at which another program answers %s is named in one line',
  async (...answered) => {
    const [, status, headers, body] = answered;
    const server = createServer((call, answer) => {
      call.resume();
      answer.writeHead(status, headers).end(body);
    });
    onTestFinished(() => void server.close().closeAllConnections());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const command of commands)
      expect(await runPinpadInProcess([...command, '--url', url])).toMatchObject({
        code: 2,
        stderr: `pinpad: the server at ${url} is not a pinpad gateway: check the address and its port\n`,
      });
  },
  60_000,
);
