import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { payOnce } from '../load/pay-once.ts';

interface Ready {
  url: string;
  token: string;
  terminals: { identifier: string }[];
}

/**
 * Runs `pinpad up` as a user's test does: starts it, takes one payment and stops it. Resolves to the milliseconds
 * that these three steps took together.
 */
export async function timeStartPaymentStop(
  command: string,
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const before = performance.now();
  const options = ['--json', '--port', '0', '--data', folder, '--auto', 'visa-credit', '--pacing', 'instant'];
  const pinpad = spawn(process.execPath, [command, 'up', ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const exited = once(pinpad, 'exit');
  const { url, token, terminals } = await ready(pinpad);
  await payOnce(url, token, terminals[0]?.identifier);
  pinpad.kill('SIGINT');
  const [code] = await exited;
  if (code !== 0) throw new Error(`${command} ended with exit code ${code}`);
  return performance.now() - before;
}

async function ready(pinpad: ChildProcess): Promise<Ready> {
  if (!pinpad.stdout) throw new Error('pinpad has no standard output');
  const [line] = await once(createInterface({ input: pinpad.stdout }), 'line');
  return JSON.parse(line);
}
