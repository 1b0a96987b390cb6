import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { findProgram } from '../../test/find-program.ts';
import { temporaryFolder } from './reader-harness.fixture.ts';

const daemonSocket = '/run/pcscd/pcscd.comm';
/** Held by the one test on this machine that runs a daemon: its socket is one per machine. */
const turn = '\0pinpad-tests-pcscd';

/** Everything a program says, and a way to wait until it says something. */
export function watch(program: ChildProcess) {
  let text = '';
  const waiting: { pattern: RegExp; resolve: () => void }[] = [];
  const listen = (chunk: Buffer) => {
    // Programs colour what they print.
    text += chunk.toString().replaceAll(/\x1b\[[0-9;]*m/g, '');
    for (const each of waiting) if (each.pattern.test(text)) each.resolve();
  };
  program.stdout?.on('data', listen);
  program.stderr?.on('data', listen);
  return {
    says: (pattern: RegExp) =>
      new Promise<void>((resolve, reject) => {
        if (pattern.test(text)) return resolve();
        waiting.push({ pattern, resolve });
        program.once('exit', () =>
          pattern.test(text) ? resolve() : reject(new Error(`ended without ${pattern}:\n${text}`)),
        );
      }),
    text: () => text,
  };
}

/** A running daemon, to be stopped and continued. */
export interface Pcscd {
  readonly signal: (name: NodeJS.Signals) => void;
  readonly exited: Promise<unknown>;
}

/**
 * Runs Debian's PC/SC daemon with one reader, `lines` of its configuration, until the test is finished. `before` is called
 * while no daemon runs.
 */
export async function startPcscd(lines: string, before: () => unknown = () => {}): Promise<Pcscd> {
  await ownTurn();
  await makeRoomForDaemon();
  await before();
  const config = join(temporaryFolder(), 'reader.conf');
  writeFileSync(config, lines);
  // In a session of its own, so that nothing the daemon does to its group reaches the tests. Nothing reads what it prints.
  const daemon = spawn(findProgram('pcscd') ?? 'pcscd', ['--foreground', '--config', config], {
    detached: true,
    stdio: 'ignore',
  });
  const exited = new Promise((resolve) => daemon.once('exit', resolve));
  const signal = (name: NodeJS.Signals) => void daemon.kill(name);
  onTestFinished(async () => {
    signal('SIGCONT');
    signal('SIGTERM');
    await exited;
  });
  while (!(await takesConnections())) if (daemon.exitCode !== null) throw new Error('pcscd does not start');
  return { signal, exited };
}

/** Waits until no other test has a daemon; the next one's turn comes when this test is finished, or its process dies. */
async function ownTurn(): Promise<void> {
  let over = false;
  onTestFinished(() => {
    over = true; // where it waited for longer than it may, its turn goes to the next
  });
  while (!over) {
    const server = createServer();
    const mine = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(turn, () => resolve(true));
    });
    if (mine && over) server.close();
    else if (mine) {
      const waiting = new Set<{ destroy(): void }>();
      server.on('connection', (socket) => {
        waiting.add(socket);
        socket.on('error', () => {});
      });
      onTestFinished(() => {
        for (const socket of waiting) socket.destroy();
        server.close();
      });
      return;
    }
    await new Promise<void>((resolve) => {
      const other = createConnection(turn);
      other.on('error', () => {});
      other.on('close', () => resolve());
    });
  }
  throw new Error('the test was over before its turn came');
}

function takesConnections(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(daemonSocket, () => resolve(true));
    socket.once('connect', () => socket.destroy());
    socket.once('error', () => resolve(false));
  });
}

/** A daemon that was killed leaves its socket behind; one that is running belongs to another program, and is left alone. */
async function makeRoomForDaemon(): Promise<void> {
  mkdirSync('/run/pcscd', { recursive: true });
  if (await takesConnections()) throw new Error('a pcscd is running: systemctl stop pcscd.socket pcscd');
  rmSync(daemonSocket, { force: true });
}

/** Runs a program to its end and gives what it said. */
export function run(program: string, args: string[], input = ''): Promise<string> {
  const child = spawn(program, args);
  const { text } = watch(child);
  child.stdin.end(input);
  return new Promise((resolve) => child.once('close', () => resolve(text())));
}
