import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { makeGatewayCommand } from '../cli/gateway/gateway.ts';
import { createGateway } from '../gateway/index.ts';
import { createRuntime } from '../shared/create-runtime.ts';
import { resolveConfig } from '../stack/index.ts';
import { findProgram } from './find-program.ts';
import { testWith } from './optional-programs.ts';

interface Service {
  image?: string;
  environment?: Record<string, string>;
  ports?: string[];
}

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const dockerfile = read('Dockerfile');
const haproxy = read('deploy/haproxy.cfg');
const { services } = parse(read('deploy/compose.yaml'), { merge: true }) as {
  services: Record<string, Service>;
};

const undo: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

test('the containers of deploy/ set only variables that pinpad and its database driver read', () => {
  const built = Object.values(services).filter(({ image }) => image === undefined);
  const set = new Set([
    ...built.flatMap(({ environment = {} }) => Object.keys(environment)),
    ...Array.from(dockerfile.matchAll(/\b(PINPAD_\w+)=/g), ([, name]) => name),
  ]);
  const known = new Set([...makeGatewayCommand().options.map(({ envVar }) => envVar), 'PGPASSWORD']);
  expect([...set].filter((name) => !known.has(name))).toEqual([]);
  // without this variable, the gateway would listen only on loopback, which cannot be reached from outside
  expect(set).toContain('PINPAD_HOST');
});

test('the ports of deploy/ match each other', () => {
  const port = String(resolveConfig(undefined, {}).port);
  expect(/^EXPOSE (.*)$/m.exec(dockerfile)?.[1]).toBe(port);
  const { environment = {}, ports = [] } = services.balancer ?? {};
  const gateways = Object.keys(services).filter((name) => name.startsWith('gateway'));
  expect(Object.values(environment)).toEqual(gateways.map((name) => `${name}:${port}`));
  expect(Array.from(haproxy.matchAll(/"\$\{(\w+)\}"$/gm), ([, name]) => name)).toEqual(
    Object.keys(environment),
  );
  const bound = Array.from(haproxy.matchAll(/^\s*bind :(\d+)$/gm), ([, at]) => at);
  expect(ports.map((published) => published.split(':').at(-1))).toEqual(bound);
});

test('the command pinpad in the image is that of the package', () => {
  const { bin } = JSON.parse(read('package.json')) as { bin: { pinpad: string } };
  expect(dockerfile).toContain(`/opt/pinpad/${bin.pinpad.replace('./', '')} /usr/local/bin/pinpad`);
});

testWith('haproxy')(
  'HAProxy goes to the gateway that can work, and answers as gateways do where none can',
  async () => {
    const gateway = await createGateway({}, createRuntime());
    undo.push(() => gateway.close());
    const ask = await balance({ GATEWAY_1: new URL(gateway.url).host, GATEWAY_2: '127.0.0.1:9' });
    for (let times = 0; times < 4; times++)
      await expect.poll(() => ask('/health'), { timeout: 60_000 }).toMatchObject({ status: 200 });
    await gateway.close();
    await expect
      .poll(() => ask('/health'), { timeout: 60_000 })
      .toEqual({
        status: 503,
        retryAfter: '1',
        body: expect.objectContaining({ error: 'unavailable' }),
      });
  },
);

/**
 * Starts HAProxy with the configuration of deploy/, but on a socket file instead of the port. Resolves when HAProxy
 * listens.
 */
async function balance(environment: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-haproxy-'));
  undo.push(() => rmSync(folder, { recursive: true }));
  const socketPath = join(folder, 'api');
  const config = join(folder, 'haproxy.cfg');
  writeFileSync(
    config,
    haproxy.replace('bind :8080', `bind ${socketPath}`).replace('bind :8404', `bind ${folder}/health`),
  );
  const program = findProgram('haproxy') ?? 'haproxy';
  const process = spawn(program, ['-db', '-f', config], { env: environment, stdio: 'ignore' });
  const ended = once(process, 'exit');
  undo.push(() => {
    process.kill();
    return ended;
  });
  const ask = async (path: string) => {
    const [answer] = (await once(get({ socketPath, path, agent: false }), 'response')) as [IncomingMessage];
    const body = JSON.parse(await text(answer)) as unknown;
    return { status: answer.statusCode, retryAfter: answer.headers['retry-after'], body };
  };
  await expect
    .poll(() => ask('/health').catch(({ code }) => code), { timeout: 60_000 })
    .toBeInstanceOf(Object);
  return ask;
}
