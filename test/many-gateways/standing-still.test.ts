import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { createGateway, type Gateway } from '../../gateway/index.ts';
import { createRuntime } from '../../shared/create-runtime.ts';
import { instantPacing, startTerminalEmulator } from '../../terminal-emulator/index.ts';
import { Balancer } from '../balancer.ts';
import { NodeProcess } from '../node-process.ts';
import { testThoroughly } from '../optional-programs.ts';
import { prepareDatabasesForFile } from '../postgres-for-file.ts';
import { hasPostgres } from '../postgres-programs.ts';

const testInCi = testThoroughly();

const patience = { timeout: 60_000 };

describe.runIf(hasPostgres())('a terminal behind a balancer', () => {
  const postgres = prepareDatabasesForFile();

  testInCi(
    'stays at its latest gateway when one that stood still handles its former dial (B189)',
    async () => {
      const database = await (await postgres()).newGatewaysUrl();
      const live = await createGateway({ database, cluster: { name: 'live' } }, createRuntime());
      onTestFinished(() => live.close());
      const { poiId, id, deviceKey, token } = await provision(live);
      const asleep = await gatewayProcess(database);
      const balancer = await Balancer.start();
      onTestFinished(() => balancer.stop());

      process.kill(asleep.pid, 'SIGSTOP');
      balancer.gateways = [portOf(asleep.url)];
      const runtime = createRuntime();
      const terminals = await startTerminalEmulator(
        {
          gatewayUrl: balancer.url,
          terminals: [{ poiId, deviceKey }],
          pacing: instantPacing,
          remoteControl: false,
          shopper: { card: 'visa-credit', entry: 'Contactless', tip: 'none', thinkMs: 0 },
        },
        runtime,
      );
      onTestFinished(() => terminals.close());
      await expect.poll(() => balancer.links, patience).toBe(1);
      balancer.gateways = [portOf(live.url)];
      balancer.cutLinks();
      const states: string[] = [];
      terminals.terminal(poiId)?.onChange(() => states.push(terminals.terminal(poiId)?.screen().state ?? ''));
      await expect.poll(() => live.poi.isConnected(id), patience).toBe(true);

      process.kill(asleep.pid, 'SIGCONT');
      await expect.poll(() => asleep.log().filter(isEnd), patience).toHaveLength(1);
      // The gateway handles this payment only after it has handled the terminal's former connection, which began while
      // the gateway was paused.
      const paid = await fetch(`${asleep.url}/terminals/${id}/payment-request`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        signal: AbortSignal.timeout(patience.timeout / 2),
        body: JSON.stringify({ paymentTransaction: { amountsReq: { requestedAmount: 10 } } }),
      });
      expect(await paid.json()).toMatchObject({ response: { result: 'success' } });
      expect(states).not.toContain('displaced');
      expect(await owners(live)).toEqual(['live']);
    },
  );
});

async function provision({ accounts, terminals, tokens }: Gateway) {
  await accounts.createAccount({ id: 'shop', name: 'Shop', currency: 'EUR' });
  const { id: storeId } = await terminals.createStore({ accountId: 'shop', name: 'Shop' });
  const { id, poiId, deviceKey = '' } = await terminals.createTerminal({ poiId: 'V400m-1', storeId });
  const { token } = await tokens.createToken({ id: 'token', accountId: 'shop' });
  return { id, poiId, deviceKey, token };
}

/** A gateway in a process that can be paused, and its log so far. */
async function gatewayProcess(database: string) {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-standing-still-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const logFile = join(folder, 'log.jsonl');
  const args = [
    'gateway',
    '--json',
    '--port=0',
    `--data=${join(folder, 'data')}`,
    `--database=${database}`,
    '--log-level=info',
  ];
  const gateway = await NodeProcess.start<{ url: string }>('bin/pinpad.js', args, { logFile });
  onTestFinished(() => gateway.kill());
  const log = () =>
    readFileSync(logFile, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { msg: string });
  return { url: gateway.ready.url, pid: gateway.pid, log };
}

function isEnd({ msg }: { msg: string }): boolean {
  return msg === 'link.closed';
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

async function owners({ store }: Gateway): Promise<string[]> {
  const rows = await store.read((db) =>
    db
      .selectFrom('terminal_owners')
      .innerJoin('gateways', 'gateways.id', 'terminal_owners.gateway_id')
      .select('name')
      .execute(),
  );
  return rows.map(({ name }) => name);
}
