import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { pinpadCommand } from '../built-package.ts';

interface Ready {
  url: string;
  token: string;
  controlToken: string;
  terminals: { identifier: string; poiId: string }[];
}

/**
 * Starts the built pinpad for a test in another language. Returns the environment variables with its URL, tokens and
 * terminal. They are the ones that pinpad's Action for GitHub sets.
 */
export async function startBuiltPinpad(): Promise<Record<string, string>> {
  const options = ['--headless', '--json', '--memory', '--port', '0', '--pacing', 'instant'];
  const running = spawn(process.execPath, [pinpadCommand(), 'up', ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => ended(running));
  const [line] = (await once(createInterface(running.stdout), 'line')) as [string];
  const { url, token, controlToken, terminals } = JSON.parse(line) as Ready;
  return {
    PINPAD_URL: url,
    PINPAD_TOKEN: token,
    PINPAD_CONTROL_TOKEN: controlToken,
    PINPAD_TERMINAL: terminals[0]?.identifier ?? '',
    PINPAD_POI_ID: terminals[0]?.poiId ?? '',
  };
}

async function ended(running: ChildProcess): Promise<void> {
  const exit = once(running, 'exit');
  running.kill();
  await exit;
}
