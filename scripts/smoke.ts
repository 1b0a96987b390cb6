import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/**
 * A smoke run of what would be published: builds, packs, unpacks elsewhere, then starts the packed command, takes
 * one payment over HTTP and stops it with SIGINT. Also proves that the sources run without a build.
 */
const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'pinpad-smoke-'));
try {
  execFileSync(process.execPath, [join(root, 'scripts/build.ts')], { stdio: 'inherit' });
  const [packed] = JSON.parse(
    run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]),
  ) as [{ filename: string }];
  run('tar', ['-xzf', join(folder, packed.filename), '-C', folder]);
  symlinkSync(join(root, 'node_modules'), join(folder, 'package/node_modules'));
  for (const command of [join(folder, 'package/bin/pinpad.js'), join(root, 'bin/pinpad.js')])
    await takeOnePayment(command);
  console.log('smoke: 2 passed, 0 failed');
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function run(command: string, args: string[]): string {
  return execFileSync(command, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

async function takeOnePayment(command: string): Promise<void> {
  const help = execFileSync(process.execPath, [command, '--help'], { encoding: 'utf8' });
  if (!help.includes('pinpad up')) throw new Error(`${command} --help does not teach`);
  const data = join(folder, 'data');
  const args = [
    command,
    'up',
    '--json',
    '--port',
    '0',
    '--data',
    data,
    '--auto',
    'visa-credit',
    '--pacing',
    'instant',
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(
    createInterface({ input: child.stdout as NonNullable<ChildProcess['stdout']> }),
    'line',
  )) as [string];
  const { url, token, terminals } = JSON.parse(line) as {
    url: string;
    token: string;
    terminals: { identifier: string }[];
  };
  const response = await fetch(`${url}/terminals/${terminals[0]?.identifier}/payment-request`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ paymentTransaction: { amountsReq: { requestedAmount: 12.5 } } }),
  });
  const result = (await response.json()) as { response?: { result?: string } };
  child.kill('SIGINT');
  const [code] = (await once(child, 'exit')) as [number];
  rmSync(data, { recursive: true, force: true });
  if (response.status !== 200 || result.response?.result !== 'success')
    throw new Error(`${command}: the payment answered ${response.status} ${JSON.stringify(result)}`);
  if (code !== 0) throw new Error(`${command}: exit code ${code} after SIGINT`);
}
