import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { pinpadCommand } from './built-package.ts';
import type { ReadyPinpad } from './cli/pinpad-process.ts';

/** Loading code for the first time needs a file descriptor. Clients may have taken all descriptors before that. */

const descriptors = 64;
const late = ['/openapi.json', '/control/terminals', '/console/page.js', '/docs/assets/docs.js'];

async function gatewayWithFew(): Promise<ReadyPinpad> {
  const command = `ulimit -n ${descriptors} && exec "$0" "$@"`;
  const args = [pinpadCommand(), 'gateway', '--memory', '--port', '0', '--json', '--log-level', 'silent'];
  const child = spawn('bash', ['-c', command, process.execPath, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' }, // without the check of answers, because it writes files
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return JSON.parse(line);
}

/**
 * Opens more connections than the gateway can take. Resolves when the gateway has closed one of them because there are
 * too many.
 */
async function takeAll({ port, hostname }: URL): Promise<Socket[]> {
  const sockets = Array.from({ length: 2 * descriptors }, () => connect(Number(port), hostname));
  for (const socket of sockets) socket.resume().on('error', () => {});
  await Promise.race(sockets.map((socket) => once(socket, 'close')));
  return sockets;
}

/** Ends connections, and resolves when the gateway has ended them too. */
async function giveBack(sockets: readonly Socket[]): Promise<void> {
  await Promise.all(sockets.map((socket) => socket.closed || once(socket.end(), 'close')));
}

test('a module first requested while descriptors had run out is loaded once there are some again (B196)', async () => {
  const { url, controlToken } = await gatewayWithFew();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const status = async (path: string) => {
    const headers = { authorization: `Bearer ${controlToken}` };
    const [answer] = (await once(get(new URL(path, url), { agent, headers }), 'response')) as [
      IncomingMessage,
    ];
    await text(answer);
    return answer.statusCode;
  };
  expect(await status('/health')).toBe(200);
  const sockets = await takeAll(new URL(url));
  for (const path of late) expect([200, 500], path).toContain(await status(path));
  await giveBack(sockets);
  for (const path of late) expect(`${path} ${await status(path)}`).toBe(`${path} 200`);
});
