import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { findProgram } from '../../test/find-program.ts';
import { makeTemporaryFolder } from './reader-harness.fixture.ts';

const daemonSocket = '/run/pcscd/pcscd.comm';
/**
 * The lock that a test holds while it runs a daemon. Only one test at a time can run a daemon, because there is only
 * one socket for the daemon on a machine.
 */
const turn = '\0pinpad-tests-pcscd';

/** Collects everything that a program prints, and can wait until the program prints a certain text. */
export function watchOutput(program: ChildProcess) {
  let text = '';
  const waiting: { pattern: RegExp; resolve: () => void }[] = [];
  const listen = (chunk: Buffer) => {
    // Programs colour what they print, so the codes for colours are removed.
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

/** A running daemon. Signals can pause it and let it go on. */
export interface Pcscd {
  readonly signal: (name: NodeJS.Signals) => void;
  readonly exited: Promise<unknown>;
}

/**
 * Runs Debian's PC/SC daemon with one reader until the test is finished. `lines` is the reader's part of the
 * configuration. `before` is called while no daemon runs.
 */
export async function startPcscd(lines: string, before: () => unknown = () => {}): Promise<Pcscd> {
  await ownTurn();
  await makeRoomForDaemon();
  await before();
  const config = join(makeTemporaryFolder(), 'reader.conf');
  writeFileSync(config, lines);
  // The daemon gets a process group of its own, so that a signal to this group does not reach the tests. The daemon's
  // output is ignored.
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

/** Waits until no other test runs a daemon. The lock is released when this test is finished or its process dies. */
async function ownTurn(): Promise<void> {
  let over = false;
  onTestFinished(() => {
    over = true; // if the test times out during this wait, the test must not take the lock later
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

/**
 * Deletes the socket that a killed daemon left behind. If a daemon is running, another program started it, so its
 * socket is left alone.
 */
async function makeRoomForDaemon(): Promise<void> {
  mkdirSync('/run/pcscd', { recursive: true });
  if (await takesConnections()) throw new Error('a pcscd is running: systemctl stop pcscd.socket pcscd');
  rmSync(daemonSocket, { force: true });
}

/** Runs a program to its end and gives what it printed. */
export function runProgram(program: string, args: string[], input = ''): Promise<string> {
  const child = spawn(program, args);
  const { text } = watchOutput(child);
  child.stdin.end(input);
  return new Promise((resolve) => child.once('close', () => resolve(text())));
}
