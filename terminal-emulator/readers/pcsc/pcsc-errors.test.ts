import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../shared/clock.ts';
import { VirtualClock } from '../../../shared/virtual-clock.ts';
import { testWith } from '../../../test/optional-programs.ts';
import { makeTemporaryFolder } from '../reader-harness.fixture.ts';
import { findSmartcardPackage } from './find-smartcard-package.ts';
import { listPcscReaders } from './list-pcsc-readers.ts';
import { makePcscCardError, makePcscListError } from './pcsc-errors.ts';
import { PcscCallError, PcscProcess } from './pcsc-process.ts';
import { listSlots } from './pcsc-reader.ts';

/** Tests that each reason why PC/SC cannot read a card has its own message, which says what to do (B205). */

const installed = join(import.meta.dirname, '../../../node_modules/smartcard/package.json');
const withSmartcard = testWith(installed);

/** Makes a folder in which a user has installed a package named `smartcard`. */
function packageWith(program: string): string {
  const folder = join(makeTemporaryFolder(), 'node_modules/smartcard');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"name":"smartcard","main":"index.js"}');
  writeFileSync(join(folder, 'index.js'), program);
  return join(folder, '../../package.json');
}

async function listing(smartcardFile: string, clock = systemClock): Promise<unknown> {
  const process = new PcscProcess(smartcardFile, clock);
  onTestFinished(() => process.end());
  return listSlots(process).catch((error: Error) => error.message);
}

/** Until the test is over, the library looks for the daemon at the socket `path`. */
function daemonAt(path: string): string {
  const before = process.env.PCSCLITE_CSOCK_NAME;
  process.env.PCSCLITE_CSOCK_NAME = path;
  onTestFinished(() => {
    if (before === undefined) delete process.env.PCSCLITE_CSOCK_NAME;
    else process.env.PCSCLITE_CSOCK_NAME = before;
  });
  return path;
}

/** Calls `begin` as a user without special rights, because root is allowed to use every socket. */
function asNobody<Result>(begin: () => Result): Result {
  if (process.geteuid?.() !== 0) return begin();
  process.seteuid?.(65_534);
  try {
    return begin();
  } finally {
    process.seteuid?.(0);
  }
}

async function listen(path: string, hangUp: boolean) {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    if (hangUp) socket.destroy();
    else onTestFinished(() => void socket.destroy());
  });
  await once(server.listen(path), 'listening');
  onTestFinished(() => void server.close());
  return server;
}

describe('the package smartcard', () => {
  test('is found if a user installed it, and reported as missing if not', () => {
    expect(findSmartcardPackage([packageWith('')])).toMatch(/smartcard\/index\.js$/);
    expect(() => findSmartcardPackage([join(makeTemporaryFolder(), 'package.json')])).toThrow(
      /^PC\/SC readers need the package smartcard: run npm install smartcard/,
    );
  });

  test('has to be compiled, not installed, if it was not compiled', async () => {
    const file = findSmartcardPackage([packageWith("require('./build/Release/smartcard_napi.node')")]);
    expect(await listing(file)).toMatch(
      /^the package smartcard is installed, but not compiled: run npm rebuild smartcard/,
    );
  });

  test('is reported with the reason if it cannot be loaded', async () => {
    const file = findSmartcardPackage([packageWith("throw new Error('made for another Node')")]);
    expect(await listing(file)).toContain('smartcard cannot be loaded (made for another Node)');
  });

  test('is reported with what to install if it finds no PC/SC library', async () => {
    const why = 'libpcsclite.so.1: cannot open shared object file: No such file or directory';
    const program = `throw Object.assign(new Error('${why}'), { code: 'ERR_DLOPEN_FAILED' })`;
    expect(await listing(findSmartcardPackage([packageWith(program)]))).toBe(
      `the package smartcard finds no PC/SC library (${why}): run apt-get install libpcsclite1`,
    );
  });

  test('is reported if it takes its process down', async () => {
    const file = findSmartcardPackage([packageWith('process.kill(process.pid, "SIGSEGV")')]);
    expect(await listing(file)).toBe('the process for PC/SC ended by itself (SIGSEGV)');
  });
});

withSmartcard('a service without a socket does not run', async () => {
  const path = daemonAt(join(makeTemporaryFolder(), 'pcscd.comm'));
  const { readers, problem } = await listPcscReaders(systemClock);
  expect(readers).toEqual([]);
  expect(problem).toContain(`the PC/SC service does not run (there is no ${path})`);
});

test.runIf(process.platform === 'linux')(
  'a socket that this user may not use is reported with the group to join',
  async () => {
    const folder = makeTemporaryFolder();
    const path = daemonAt(join(folder, 'pcscd.comm'));
    await listen(path, false);
    chmodSync(folder, 0);
    onTestFinished(() => chmodSync(folder, 0o700));
    const problem = asNobody(() => makePcscListError(new PcscCallError('PC/SC service not running')));
    expect(await problem).toMatchObject({
      code: 'PERMISSION',
      message: `this user may not use ${path}: join its group (ls -l ${path}), then log in again`,
    });
  },
);

withSmartcard('a service that left its socket behind stopped', async () => {
  const path = daemonAt(join(makeTemporaryFolder(), 'pcscd.comm'));
  writeFileSync(path, ''); // refuses connections, like a socket without a listening program
  expect((await listPcscReaders(systemClock)).problem).toContain('the PC/SC service stopped');
});

withSmartcard('a service that hangs up at once is polkit’s no', async () => {
  await listen(daemonAt(join(makeTemporaryFolder(), 'pcscd.comm')), true);
  expect((await listPcscReaders(systemClock)).problem).toMatch(
    /^the PC\/SC service refuses this user: polkit/,
  );
});

withSmartcard(
  'a service that takes a connection and is silent does not answer, and nothing waits for it',
  async () => {
    const server = await listen(daemonAt(join(makeTemporaryFolder(), 'pcscd.comm')), false);
    const clock = new VirtualClock({ startMs: 0 });
    const listed = listPcscReaders(clock);
    await once(server, 'connection');
    await clock.advance(10_000);
    expect((await listed).problem).toBe('the PC/SC service does not answer: run systemctl restart pcscd');
  },
);

test('a card that another program holds is reported, with the program that it may be', () => {
  const error = makePcscCardError(new PcscCallError('Sharing violation'), 'ACS ACR39U 00 00');
  expect(error.message).toBe(
    'another program holds the card in ACS ACR39U 00 00: end that program (if it is GnuPG, run gpgconf --kill scdaemon)',
  );
});

test.each(['Communication error', 'Unknown PC/SC error', 'PC/SC service not running'])(
  '%s of a card also mentions polkit',
  (message) => {
    expect(makePcscCardError(new PcscCallError(message), 'ACS ACR39U 00 00').message).toContain('polkit');
  },
);

test('an unknown failure is reported in the words of the service', async () => {
  const error = await makePcscListError(new PcscCallError('Internal error'));
  expect(error.message).toBe('the PC/SC service fails: Internal error');
});
