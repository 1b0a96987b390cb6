import { spawn } from 'node:child_process';
import { chmodSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import { Journal } from '../../shared/journal.ts';
import { makeSeededRandom } from '../../shared/random.ts';
import { sampleCases } from '../../test/draws.ts';
import { testThoroughly, testWith } from '../../test/optional-programs.ts';
import { AttachedReader } from './attached-reader.ts';
import { openLine } from './open-line.ts';
import { probePort } from './probe.ts';
import {
  type HarnessReader,
  harnessReaders,
  makePtyAt,
  makeTemporaryFolder,
} from './reader-harness.fixture.ts';
import { parseReaderAddress, parseReaderSpec } from './reader-spec.ts';

/**
 * Tests over real lines. A probe has to find every reader, and a terminal can open each reader by the name of its
 * driver. The tests also try ports that have another device, or none.
 */

const test = testWith('socat');
const kinds = Object.entries<HarnessReader>(harnessReaders);
const timeout = 60_000;

const probe = (address: string) => probePort(parseReaderAddress(address), { clock: systemClock });

async function plugInAtPty(kind: HarnessReader): Promise<string> {
  const path = join(makeTemporaryFolder(), 'port');
  kind.plugIn((await makePtyAt(path)).transport, systemClock);
  return path;
}

/** Offers a reader's serial port over TCP, as a serial server does. The server is the program socat. */
async function plugInAtServer(kind: HarnessReader): Promise<string> {
  const port = await plugInAtPty(kind);
  const listen = 'tcp-listen:0,bind=127.0.0.1,fork';
  const server = spawn('socat', ['-d', '-d', listen, `file:${port},raw,echo=0,nonblock`], { detached: true });
  // socat starts a child process for each connection, so its whole process group is ended.
  onTestFinished(() => void process.kill(-(server.pid ?? 0), 'SIGKILL'));
  const [, at] = await new Promise<string[]>((resolve) => {
    let said = '';
    server.stderr.on('data', (text) => {
      said += text;
      const listening = /listening on AF=2 (127\.0\.0\.1:\d+)/.exec(said);
      if (listening) resolve(listening);
    });
  });
  return `tcp://${at}`;
}

/**
 * Resolves once a terminal with this `--reader` has the reader. A serial server may take a while to release its former
 * client.
 */
async function becomesReady(kind: HarnessReader, address: string): Promise<void> {
  const { reader, status } = attach(kind, address);
  while ((await status()).state !== 'ready');
  await reader.close();
}

/** Gives the first status of a terminal with this `--reader`. The reader may or may not be at the address. */
async function statusAt(kind: HarnessReader, address: string): Promise<string> {
  const { reader, status } = attach(kind, address);
  const { state, line } = await status();
  await reader.close();
  return `${state}: ${line}`;
}

function attach(kind: HarnessReader, address: string) {
  const runtime = { clock: systemClock, random: makeSeededRandom(1), journal: new Journal(systemClock) };
  const spec = parseReaderSpec(kind.spec(address));
  const reader = new AttachedReader({ spec, fingerprintKey: new Uint8Array(16) }, runtime);
  /** Resolves to the next status of the reader. */
  const status = () => new Promise<typeof reader.status>((resolve) => reader.onStatus(resolve));
  return { reader, status };
}

const found = (kind: HarnessReader, address: string) => {
  if (!kind.answers) return { found: 'silence' };
  const { driver, framing } = parseReaderSpec(kind.spec(address)) as { driver: string; framing: string };
  return {
    found: 'reader',
    driver,
    ...(framing === 'acs' ? { framing } : {}),
    info: { description: expect.stringMatching(kind.answers) },
  };
};

/** Tests all readers at once, because for each reader a probe waits until several time limits are over. */
const ofEach = <What>(what: (kind: HarnessReader) => Promise<What>) =>
  Promise.all(kinds.map(async ([name, kind]) => ({ name, ...(await what(kind)) })));

test('a probe finds every reader at a serial port', { timeout }, async () => {
  const asked = await ofEach(async (kind) => {
    const path = await plugInAtPty(kind);
    // After the probe, the port is closed. The reader still works, although it received bytes that it did not
    // understand.
    return { kind, path, probed: await probe(path), status: await statusAt(kind, path) };
  });
  for (const { name, kind, path, probed, status } of asked) {
    expect(probed, name).toMatchObject(found(kind, path));
    expect(status, name).toMatch(/^ready: /);
  }
});

testThoroughly('socat')('a probe finds every reader at a serial server', { timeout }, async () => {
  const asked = await ofEach(async (kind) => {
    const address = await plugInAtServer(kind);
    const probed = await probe(address);
    await becomesReady(kind, address);
    return { kind, address, probed };
  });
  for (const { name, kind, address, probed } of asked)
    expect(probed, name).toMatchObject(found(kind, address));
});

/**
 * Whether two readers answer the same greeting. Only the two CCID readers do so, because they differ only in their
 * card.
 */
const alike = (one: string, other: string) => [one, other].every((name) => /^ccid( T=1)?$/.test(name));

test.each(
  sampleCases(
    kinds.filter(([, { answers }]) => answers),
    3,
  ),
)(
  '%s that is named for another reader is reported as another device, or as silent',
  { timeout },
  async (name, kind) => {
    const others = kinds.filter(([other]) => other !== name && !alike(name, other));
    const reported = others.map(async ([other, there]) => {
      const path = await plugInAtPty(there);
      return [other, (await statusAt(kind, path)).replace(path, 'PORT')];
    });
    for (const [other, status] of await Promise.all(reported))
      expect([other, status]).toEqual([
        other,
        expect.stringMatching(
          /^waiting: .*(not a PN532|nothing answers|reader answers on PORT: check|try \?framing)/,
        ),
      ]);
  },
);

testThoroughly('socat')(
  'a device that talks but is not a reader is silent to a probe, and another device if it is named',
  {
    timeout,
  },
  async () => {
    const chatter: HarnessReader = {
      ...harnessReaders.msr,
      plugIn(line) {
        line.onData(
          () => void line.write(new TextEncoder().encode('ERROR: unknown command\r\n')).catch(() => {}),
        );
        return {};
      },
    };
    const address = await plugInAtPty(chatter);
    expect(await probe(address)).toEqual({ found: 'silence' });
    expect(await statusAt(harnessReaders.pn532, address)).toMatch(
      /^waiting: .*the device that answers is not a PN532/,
    );
  },
);

test('a probe of a missing or busy port says so with the remedy', { timeout }, async () => {
  const path = await plugInAtPty(harnessReaders.pn532);
  expect(await probe(`${path}-2`)).toMatchObject({ found: 'error', error: { code: 'NO_PORT' } });
  expect(await probe('tcp://127.0.0.1:1')).toMatchObject({
    found: 'error',
    error: { code: 'NO_PORT', message: expect.stringContaining('nothing listens') },
  });
  const options = { clock: systemClock, signal: new AbortController().signal };
  const settings = { baudRate: 9600, dataBits: 8, stopBits: 1, parity: 'none' } as const;
  const taken = await openLine(parseReaderAddress(path), settings, options);
  const busy = {
    code: 'BUSY',
    message: `${path} is in use by another program: close that program, or choose another port`,
  };
  expect(await probe(path)).toMatchObject({ found: 'error', error: busy });
  expect(await statusAt(harnessReaders.pn532, path)).toBe(`waiting: ${busy.message}`);
  await taken.close();
  expect(await probe(path)).toMatchObject({ found: 'reader' });
});

testThoroughly('socat')(
  'without permission for the port, the message says how to get it',
  { timeout },
  async () => {
    const path = await plugInAtPty(harnessReaders.pn532);
    chmodSync(join(path, '..'), 0o755);
    chmodSync(realpathSync(path), 0o600);
    const asRoot = process.getuid?.() === 0;
    if (!asRoot) chmodSync(realpathSync(path), 0);
    // Root may open any port, so another user runs the probe.
    const nobody = 65_534;
    const command = join(import.meta.dirname, '../../bin/pinpad.js');
    const program = spawn(
      process.execPath,
      [command, 'readers', path],
      asRoot ? { uid: nobody, gid: nobody } : {},
    );
    let said = '';
    for (const stream of [program.stdout, program.stderr]) stream?.on('data', (text) => (said += text));
    await new Promise((resolve) => program.once('close', resolve));
    expect(said).toContain(`${path}: permission denied. Serial ports belong to the group dialout`);
  },
);
