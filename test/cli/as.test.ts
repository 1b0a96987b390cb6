import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  apiKey,
  startGatewayStandIn,
  startOtherHost,
  startUsersProxy,
} from '../../leading/stand-in.fixture.ts';
import { isThoroughRun, sampleCases } from '../draws.ts';
import { findProgram } from '../find-program.ts';
import { testThoroughly, testWith } from '../optional-programs.ts';
import { pythonPath } from '../python.ts';
import { until } from '../until.ts';
import { PinpadProcess } from './pinpad-process.ts';
import { runPinpadInProcess } from './run-pinpad-in-process.ts';

const testInCi = testThoroughly();

/**
 * Checks that `pinpad as adyen` redirects unchanged programs to the gateway, and does not change their other
 * connections (docs/as.md).
 */

const clients = join(import.meta.dirname, 'as-clients');
const node = process.execPath;
const env = { ADYEN_API_KEY: apiKey, PINPAD_DATA: join(tmpdir(), 'no-such-folder') };

/** Runs a command that ends without being stopped. */
async function led(url: string, command: string[], more: Record<string, string> = {}) {
  const running = new PinpadProcess(['as', 'adyen', '--url', url, '--', ...command], { ...env, ...more });
  return running.ended();
}

/**
 * Starts another host and, in front of it, a proxy that belongs to the user. Returns the variables that make
 * programs use the proxy and trust the host's certificate.
 */
async function behindOwnProxy() {
  const other = await startOtherHost('shop.example');
  const proxy = await startUsersProxy('shop.example', other.port);
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-as-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'own.pem');
  writeFileSync(file, other.authority.certificatePem);
  const variables = {
    ...{ HTTPS_PROXY: proxy.url, NO_PROXY: 'adyen.com,db.example', OTHER: 'https://shop.example/' },
    ...{ SSL_CERT_FILE: file, NODE_EXTRA_CA_CERTS: file, NODE_USE_ENV_PROXY: '1' },
  };
  return { proxy, variables };
}

describe('pinpad as leads', () => {
  testInCi("the vendor's own client, which has its own HTTP agent", async () => {
    const gateway = await startGatewayStandIn();
    const ended = await led(gateway.url, [node, join(clients, 'vendors-client.cjs')]);
    expect(ended).toEqual({
      ...{ code: 0, stdout: 'Success\nSuccess\n' },
      stderr: `pinpad: 2 requests for Adyen came to ${gateway.url}\n`,
    });
    expect(gateway.received.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /sync',
      'POST /v1/merchants/Shop/devices/V400m-1/sync',
    ]);
  });

  test("Node's fetch, with options, certificates and a proxy of its user", async () => {
    const gateway = await startGatewayStandIn();
    const { proxy, variables } = await behindOwnProxy();
    const ended = await led(gateway.url, [node, join(clients, 'fetch.mjs')], {
      ...{ ...variables, NODE_OPTIONS: '--no-warnings' },
    });
    expect(ended).toMatchObject({ code: 0, stdout: 'Success\nthis is shop.example\n' });
    expect(proxy.asked).toHaveLength(1);
  });

  testThoroughly('python3')(
    "Python's urllib, and its other calls go through the proxy that its user has",
    async () => {
      const gateway = await startGatewayStandIn();
      const { variables } = await behindOwnProxy();
      const ended = await led(gateway.url, [pythonPath(), '-B', join(clients, 'with_urllib.py')], variables);
      expect(ended).toMatchObject({ code: 0, stdout: 'Success\nthis is shop.example\n' });
    },
  );

  const hasRequests = spawnSync(pythonPath(), ['-c', 'import requests']).status === 0;
  if (!hasRequests) console.warn('SKIPPED, NOT PROVEN HERE: Python without the library requests');
  test.runIf(hasRequests && isThoroughRun)(
    "Python's requests, which otherwise has its own certificates",
    async () => {
      const gateway = await startGatewayStandIn();
      const { variables } = await behindOwnProxy();
      const ended = await led(
        gateway.url,
        [pythonPath(), '-B', join(clients, 'with_requests.py')],
        variables,
      );
      expect(ended).toMatchObject({ code: 0, stdout: 'Success\nthis is shop.example\n' });
    },
  );

  testThoroughly('curl')('curl', async () => {
    const gateway = await startGatewayStandIn();
    const { variables } = await behindOwnProxy();
    const post = ['-H', `x-api-key: ${apiKey}`, '-d', '{"SaleToPOIRequest":{"MessageHeader":{}}}'];
    const ended = await led(
      gateway.url,
      ['curl', '-sS', ...post, 'https://terminal-api-live-apse.adyen.com/sync', variables.OTHER],
      variables,
    );
    expect(ended).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/"Result":"Success".*this is shop\.example$/),
    });
  });

  testThoroughly('java')('both clients of Java, which reaches other hosts as before', async () => {
    const gateway = await startGatewayStandIn();
    const ended = await led(gateway.url, ['java', join(clients, 'Pay.java')]);
    expect(ended).toMatchObject({ code: 0, stdout: 'Success\nSuccess\n[DIRECT]\n' });
    expect(ended.stderr).toContain('2 requests for Adyen came');
  });

  testThoroughly('java')('Java with a trust store of its own in JDK_JAVA_OPTIONS', async () => {
    const gateway = await startGatewayStandIn();
    const ended = await led(gateway.url, ['java', join(clients, 'Pay.java')], {
      JDK_JAVA_OPTIONS: '-Djavax.net.ssl.trustStore=/own.jks -Dhttps.proxyHost=own.example',
    });
    expect(ended.stdout).toMatch(/^Success\nSuccess\n/);
  });
});

describe('the command', () => {
  test('keeps its own exit status, input and output (B424)', async () => {
    const { url } = await startGatewayStandIn();
    const running = new PinpadProcess(['as', 'adyen', '--url', url, '--', 'sh', '-c', 'cat; exit 7'], env);
    running.child.stdin?.end('in\n');
    expect(await running.ended()).toMatchObject({ code: 7, stdout: 'in\n' });
  });

  test.each([
    ['kill -9 $$', 137],
    ['exec /no/such/program', 127],
  ])('that ends by %s gives the exit status %i, as in a shell', async (script, code) => {
    const { url } = await startGatewayStandIn();
    expect(await led(url, ['sh', '-c', script])).toMatchObject({ code });
  });

  test('that does not exist gives the exit status 127, in one line', async () => {
    const { url } = await startGatewayStandIn();
    expect(await led(url, ['no-such-program'])).toEqual({
      ...{ code: 127, stdout: '', stderr: 'pinpad: no-such-program cannot be started: ENOENT\n' },
    });
  });

  test('whose path leads through a file gives the exit status 126, in one line', async () => {
    const { url } = await startGatewayStandIn();
    expect(await led(url, ['/etc/passwd/program'])).toEqual({
      ...{ code: 126, stdout: '', stderr: 'pinpad: /etc/passwd/program cannot be started: ENOTDIR\n' },
    });
  });

  test.each(sampleCases(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'] as const, 2))(
    'gets %s, and decides what to do, and then no file is left (B423, B424)',
    async (signal) => {
      const { url } = await startGatewayStandIn();
      const script = `process.on('${signal}', () => { console.log('got it'); process.exit(9); });
        process.stdin.resume(); console.log(process.env.SSL_CERT_FILE, 'ready');`;
      const running = new PinpadProcess(['as', 'adyen', '--url', url, '--', node, '-e', script], env);
      const folder = dirname((await running.printed(' ready\n')).split(' ')[0] ?? '');
      expect((statSync(folder).mode & 0o777).toString(8)).toBe('700');
      for (const file of readdirSync(folder))
        expect(readFileSync(join(folder, file), 'latin1')).not.toContain('PRIVATE KEY');
      running.child.kill(signal);
      expect(await running.ended()).toMatchObject({ code: 9, stdout: expect.stringMatching(/got it\n$/) });
      expect(existsSync(folder)).toBe(false);
    },
  );
});

testInCi(
  'a killed run leaves a command whose calls reach nobody, and files that the next run removes (B423)',
  async () => {
    const { url } = await startGatewayStandIn();
    const TMPDIR = mkdtempSync(join(tmpdir(), 'pinpad-killed-'));
    onTestFinished(() => rmSync(TMPDIR, { recursive: true }));
    const script = `const call = () => fetch('https://terminal-api-test.adyen.com/sync', { method: 'POST' });
    const said = (error) => console.log(error.cause.code);
    process.stdin.resume().once('end', () => call().catch(said).finally(() => process.exit()));
    console.log(process.env.SSL_CERT_FILE, 'ready');`;
    const killed = new PinpadProcess(['as', 'adyen', '--url', url, '--', node, '-e', script], {
      ...env,
      TMPDIR,
    });
    const folder = dirname((await killed.printed(' ready\n')).split(' ')[0] ?? '');
    const living = new PinpadProcess(['as', 'adyen', '--url', url, '--', 'cat'], { ...env, TMPDIR });
    await until('it has files, too', () => readdirSync(TMPDIR).length === 2);
    killed.child.kill('SIGKILL');
    // When `pinpad as` dies, the standard input of the command ends. Only then does the command call the host, so the
    // host's address refuses the connection.
    expect((await killed.ended()).stdout).toMatch(/ready\nECONNREFUSED\n$/);
    expect(existsSync(folder)).toBe(true);
    const next = new PinpadProcess(['as', 'adyen', '--url', url, '--', 'ls', TMPDIR], { ...env, TMPDIR });
    const left = (await next.ended()).stdout.trim().split('\n');
    expect(left).toHaveLength(2);
    expect(existsSync(folder)).toBe(false);
    living.child.stdin?.end();
    await living.ended();
    expect(readdirSync(TMPDIR)).toEqual([]);
  },
);

describe('the output says at the end (B425)', () => {
  testInCi('that nothing was received', async () => {
    const { url } = await startGatewayStandIn();
    expect((await led(url, ['true'])).stderr).toBe(
      'pinpad: no request for Adyen reached pinpad. If the command sent such a request, Adyen itself got the request (docs/as.md lists the programs that can be redirected)\n',
    );
  });

  testInCi('that the key is unknown to the gateway, and what to do', async () => {
    const { url } = await startGatewayStandIn();
    const vendors = { ADYEN_API_KEY: 'AQE_a_real_key' };
    const ended = await led(url, [node, join(clients, 'vendors-client.cjs')], vendors);
    expect(ended).toMatchObject({ code: 3, stdout: expect.stringContaining('401') });
    expect(ended.stderr).toContain(
      '1 request had a wrong API key (401): give your point of sale a token of the gateway as its key\n',
    );
    expect(ended.stderr).not.toContain('AQE');
  });

  testThoroughly('curl')('that a program does not believe its certificate', async () => {
    const { url } = await startGatewayStandIn();
    const distrusting = [
      'sh',
      '-c',
      'env -u CURL_CA_BUNDLE -u SSL_CERT_FILE curl -s https://terminal-api-test.adyen.com/',
    ];
    expect((await led(url, distrusting)).stderr).toMatch(
      /^pinpad: 1 connection for Adyen ended without a request: usually the program does not trust the certificate.*\n$/,
    );
  });
});

testWith('curl')('without a command it prints what leads one, until Ctrl-C', async () => {
  const gateway = await startGatewayStandIn();
  const running = new PinpadProcess(['as', 'adyen', '--url', gateway.url], env);
  const printed = await running.printed("java.args'\n");
  expect(printed.split('\n').filter((line) => !/^(export \w+='[^']*')?$/.test(line))).toEqual([]);
  const script = `${printed}\ncurl -sS -H 'x-api-key: ${apiKey}' -d '{"SaleToPOIRequest":{}}' https://terminal-api-test.adyen.com/sync`;
  const { stdout } = await promisify(execFile)('sh', ['-c', script]);
  expect(stdout).toContain('"Result":"Success"');
  running.child.kill('SIGINT');
  expect(await running.ended()).toMatchObject({
    ...{ code: 0, stderr: `pinpad: 1 request for Adyen came to ${gateway.url}\n` },
  });
});

describe('the command is not started', () => {
  test.each<[string, string[], Record<string, string>, string]>([
    ['without a gateway', ['adyen', '--', 'true'], {}, 'no gateway runs with the data folder '],
    [
      'where none answers',
      ['adyen', '--url', 'http://127.0.0.1:1', '--', 'true'],
      {},
      'no gateway answers at http://127.0.0.1:1: ',
    ],
    [
      'as one that it does not know',
      ['acme', '--', 'true'],
      {},
      "'acme' is invalid for argument 'vendor'. Allowed choices are adyen.",
    ],
    [
      'with --hosts for no command',
      ['adyen', '--hosts'],
      {},
      '--hosts needs a command: put the command after --',
    ],
    [
      'in an exploration (B427)',
      ['adyen', '--', 'true'],
      { PINPAD_EXPLORE_URL: 'http://127.0.0.1:1' },
      'leave out "pinpad as", because "pinpad explore" can redirect the command: pinpad explore --as adyen -- COMMAND',
    ],
  ])('%s', async (_, args, more, sentence) => {
    const ended = await runPinpadInProcess(['as', ...args], { ...env, ...more });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain(sentence);
  });
});

const mayMount =
  process.getuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0 && findProgram('curl');
if (!mayMount) console.warn('SKIPPED, NOT PROVEN HERE: --hosts (root, with the right to mount)');
describe.runIf(mayMount || process.env.PINPAD_REQUIRE_OPTIONAL === '1')('with --hosts', () => {
  const heedsNothing = ['env', '-u', 'HTTPS_PROXY', '-u', 'https_proxy', 'curl', '-sS'];

  testInCi('programs that ignore the variables are led, and no others', async () => {
    const gateway = await startGatewayStandIn();
    const before = readFileSync('/etc/hosts', 'utf8');
    const post = ['-H', `x-api-key: ${apiKey}`, '-d', '{"SaleToPOIRequest":{}}'];
    const command = [...heedsNothing, ...post, 'https://terminal-api-test.adyen.com/sync'];
    const running = new PinpadProcess(
      ['as', 'adyen', '--url', gateway.url, '--hosts', '--', ...command],
      env,
    );
    expect(await running.ended()).toMatchObject({
      ...{ code: 0, stdout: expect.stringContaining('"Result":"Success"') },
    });
    expect(readFileSync('/etc/hosts', 'utf8')).toBe(before);
  });

  test('a line says that port 443 is in use (B426)', async () => {
    const gateway = await startGatewayStandIn();
    const server = createServer();
    await once(server.listen(443, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const running = new PinpadProcess(['as', 'adyen', '--url', gateway.url, '--hosts', '--', 'true'], env);
    expect(await running.ended()).toMatchObject({
      ...{ code: 2, stderr: expect.stringMatching(/^pinpad: port 443 on 127\.0\.0\.1 is taken.*\n$/) },
    });
  });
});
