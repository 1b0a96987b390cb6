import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { PinpadProcess } from '../cli/pinpad-process.ts';
import { testThoroughly } from '../optional-programs.ts';
import { pythonPath } from '../python.ts';

/** Ctrl-C during `pinpad explore`. */

const test = testThoroughly('python3');

/** Asks for the terminals. If that fails, starts another program, which asks at another address and waits there. */
const waiting = `
import os, subprocess, sys, urllib.request
headers = {"Authorization": "Bearer " + os.environ["PINPAD_TOKEN"]}
try:
    urllib.request.urlopen(urllib.request.Request(os.environ["PINPAD_URL"] + "/terminals", headers=headers)).read()
except OSError as error:
    print("no terminals")
    subprocess.run([sys.executable, "-c", "import sys, urllib.request; urllib.request.urlopen(sys.argv[1])", sys.argv[1]])
`;

test('a stop ends all processes of the command, and reports the results so far', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-stopped-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'till.py');
  writeFileSync(program, waiting);
  const server = createServer(); // this server answers nothing
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const only = ['powerOff@start.1', 'dropRequest@terminals.1', 'dropAnswer@terminals.1'];
  const explore = new PinpadProcess([
    ...['explore', ...only.flatMap((name) => ['--only', name]), '--traces', join(folder, 'traces')],
    ...['--', pythonPath(), '-B', program, url],
  ]);
  onTestFinished(() => void explore.child.kill('SIGKILL'));
  const [request] = (await once(server, 'request')) as [IncomingMessage];
  const gone = once(request.socket, 'close');
  const { code, stdout } = await explore.stop();
  await gone;
  expect(stdout).toContain('✓ 1 survived    2 not run');
  expect(code).toBe(4);
});
