import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasNats, NatsServer } from '../nats-server.ts';
import { testThoroughly } from '../optional-programs.ts';
import { prepareDatabasesForFile } from '../postgres-for-file.ts';
import { hasPostgres } from '../postgres-programs.ts';
import { PinpadProcess } from './pinpad-process.ts';
import { runPinpadInProcess } from './run-pinpad-in-process.ts';

const testInCi = testThoroughly();

const secret = 'never-to-be-seen';

function start(...args: string[]): PinpadProcess {
  const process = new PinpadProcess(['gateway', '--port', '0', '--json', '--log-level', 'debug', ...args]);
  onTestFinished(() => void process.child.kill('SIGKILL'));
  return process;
}

test('--nats is refused in one line if it is not an address, or without --database', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-nats-refused-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const refused = (address: string) => runPinpadInProcess(['gateway', '--data', folder, '--nats', address]);
  const refusals = [await refused(`http://user:${secret}@host`), await refused(`nats://user:${secret}@host`)];
  expect(refusals.map(({ code, stderr }) => [code, stderr])).toEqual([
    [
      2,
      'pinpad: nats: must be an address such as nats://user:password@host, or several addresses, separated by commas\n',
    ],
    [
      2,
      'pinpad: the setting "nats" is only for gateways that share a PostgreSQL database: leave out "nats", or set "database" too\n',
    ],
  ]);
  expect(readdirSync(folder)).toEqual([]);
});

describe.runIf(hasPostgres() && hasNats())('pinpad with --nats', () => {
  const postgres = prepareDatabasesForFile();

  testInCi('says if NATS cannot be used, starts anyway, and writes no secret', async () => {
    const nats = await NatsServer.start(`authorization { token: ${secret} }`);
    onTestFinished(() => nats.remove());
    const database = await (await postgres()).newGatewaysUrl();
    for (const [token, said] of [
      [secret, ''],
      [`${secret}-at-all`, 'Authorization Violation'],
    ]) {
      const gateway = start('--database', database, '--nats', nats.url(token));
      await gateway.ready();
      const { stdout, stderr } = await gateway.stop();
      expect(stdout + stderr).not.toContain(secret);
      expect(stderr).toContain(said);
      expect(stderr.includes('cannot be used')).toBe(said !== '');
    }
  });

  testInCi(
    "reports at other gateways that a terminal's hanging gateway does not answer, and soon at once (B188)",
    async () => {
      const nats = await NatsServer.start();
      onTestFinished(() => nats.remove());
      const shared = ['--database', await (await postgres()).newGatewaysUrl(), '--nats', nats.url()];
      const folder = mkdtempSync(join(tmpdir(), 'pinpad-hung-'));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const hosting = new PinpadProcess([
        'up',
        '--headless',
        '--data',
        folder,
        '--port',
        '0',
        '--json',
        ...shared,
      ]);
      onTestFinished(() => void hosting.child.kill('SIGKILL'));
      await hosting.ready();
      const other = start('--data', join(folder, 'other'), ...shared);
      const { url, controlToken, terminals } = await other.ready();
      const look = async () => {
        const answer = await fetch(`${url}/control/terminals/${terminals[0]?.poiId}/screen`, {
          headers: { authorization: `Bearer ${controlToken}` },
        });
        return { status: answer.status, body: await answer.json() };
      };
      await expect.poll(look, { timeout: 30_000 }).toMatchObject({ status: 200 });
      hosting.child.kill('SIGSTOP');
      const unanswered = { status: 409, body: { message: expect.stringContaining('does not answer') } };
      expect(await look()).toMatchObject(unanswered);
      const began = performance.now();
      expect(await look()).toMatchObject(unanswered);
      expect(performance.now() - began).toBeLessThan(6_000); // a wait for the answer would take twelve seconds
      hosting.child.kill('SIGCONT');
      await expect.poll(look, { timeout: 30_000 }).toMatchObject({ status: 200 });
    },
    90_000,
  );
});
