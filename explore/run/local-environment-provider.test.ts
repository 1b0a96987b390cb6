import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeLocalEnvironmentProvider } from './local-environment-provider.ts';

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

test('no gateway is left running if the configuration has no terminal to explore', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'explore-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const config = join(folder, 'pinpad.yaml');
  writeFileSync(config, 'accounts: []\n');
  const port = await findFreePort();
  const provider = makeLocalEnvironmentProvider({ config, port, seed: 1 });
  await expect(provider.open({ folder: true, worker: 0 })).rejects.toThrow(
    'needs a terminal and a sandbox token',
  );
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed');
});
