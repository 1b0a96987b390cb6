import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { runPinpadInProcess } from '../cli/run-pinpad-in-process.ts';
import { noteOpenServers } from '../open-servers.ts';
import { testWith } from '../optional-programs.ts';
import { pythonPath } from '../python.ts';

/** The effects of the flags of `pinpad explore` on a command that only asks for the terminals. */

const test = testWith('python3');

/** A program that finds the gateway through variables with its own names, and writes down what it was given. */
const asking = `
import json, os, sys, urllib.request
given = {name: os.environ[name] for name in ("ASK_URL", "ASK_TOKEN", "ASK_TERMINAL")}
headers = {"Authorization": "Bearer " + given["ASK_TOKEN"]}
request = urllib.request.Request(given["ASK_URL"] + "/terminals", headers=headers)
try:
    urllib.request.urlopen(request).read()
except OSError:
    pass
with open(sys.argv[1], "a") as file:
    file.write(json.dumps(given) + "\\n")
`;
const variables = ['ASK_URL={url}', 'ASK_TOKEN={token}', 'ASK_TERMINAL=at {terminal}'].flatMap((text) => [
  '--env',
  text,
]);

function aCommand() {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-flags-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [program, given, before] = ['ask.py', 'given.txt', 'before.txt'].map((name) => join(folder, name));
  writeFileSync(program as string, asking);
  const linesOf = (file = '') => readFileSync(file, 'utf8').trimEnd().split('\n');
  return {
    before,
    runs: () => linesOf(given).map((line) => JSON.parse(line) as Record<string, string>),
    befores: () => linesOf(before),
    explore: (...flags: readonly string[]) =>
      runPinpadInProcess([
        ...['explore', ...variables, '--traces', join(folder, 'traces'), ...flags],
        ...['--', pythonPath(), '-B', program as string, given as string],
      ]),
  };
}

const lost = ['--only', 'dropRequest@terminals.1', '--only', 'dropAnswer@terminals.1'];

describe('pinpad explore', () => {
  test('gives each run the variables that --env names, with the same token and terminal', async () => {
    const { explore, runs } = aCommand();
    const { code, stdout } = await explore(...lost);
    expect(stdout).toContain('✓ 2 survived');
    expect(code).toBe(0);
    expect(runs()).toHaveLength(4);
    expect(new Set(runs().map(({ ASK_TOKEN }) => ASK_TOKEN)).size).toBe(1);
    expect(new Set(runs().map(({ ASK_TERMINAL }) => ASK_TERMINAL)).size).toBe(1);
    expect(runs()[0]?.ASK_TERMINAL).toMatch(/^at [0-9a-f-]{36}$/);
  });

  test('refuses an --env that is not a variable', async () => {
    const { code, stderr } = await aCommand().explore('--env', 'ASK_URL');
    expect(stderr).toBe('pinpad: --env ASK_URL must have the form NAME=VALUE, such as PAYMENTS_URL={url}\n');
    expect(code).toBe(2);
  });

  test('runs --before once before each run', async () => {
    const { explore, befores, runs, before } = aCommand();
    const { code } = await explore(...lost, '--before', `echo "for $ASK_TOKEN" >> '${before}'`);
    expect(code).toBe(0);
    expect(befores()).toEqual(runs().map(({ ASK_TOKEN }) => `for ${ASK_TOKEN}`));
  });

  test('ends with 2 if --before fails, and shows its output', async () => {
    const { code, stderr } = await aCommand().explore('--before', 'echo no database; exit 3');
    expect(stderr).toBe('pinpad: --before ended with 3: echo no database; exit 3\nno database\n');
    expect(code).toBe(2);
  });

  test('begins no run after --limit, counts the runs left out, and ends with 4', async () => {
    const { explore, runs } = aCommand();
    const { code, stdout } = await explore('--limit', '0 s');
    expect(stdout).toMatch(/✓ 0 survived {4}\d+ not run/);
    expect(code).toBe(4);
    expect(runs()).toHaveLength(2);
  });

  test('offers --threads in its help, and refuses it at a running gateway', async () => {
    const help = await runPinpadInProcess(['explore', '--help']);
    expect(help.stdout).toMatch(/--workers <count> +how many runs take place at the same time/);
    expect(help.stdout).toMatch(/--threads <count> +over how many/);
    const { code, stderr } = await aCommand().explore('--gateway', 'http://127.0.0.1:1', '--threads', '2');
    expect(stderr).toBe('pinpad: --gateway uses a gateway that is already running: leave out --threads\n');
    expect(code).toBe(2);
  });

  test('leaves no server open if the calls of the command cannot be redirected', async () => {
    const serversClosed = noteOpenServers();
    const missing = { TMPDIR: join(tmpdir(), 'pinpad-no-such-folder') };
    const { code, stderr } = await runPinpadInProcess(['explore', '--as', 'adyen', '--', 'true'], missing);
    expect(stderr).toContain('pinpad-no-such-folder');
    expect(code).not.toBe(0);
    await serversClosed();
  });

  test('refuses --port if several runs are made at a time', async () => {
    const { code, stderr } = await aCommand().explore('--port', '8099', '--workers', '2');
    expect(stderr).toBe(
      'pinpad: --port gives every run the same address, so runs cannot be parallel: leave out --workers or --port\n',
    );
    expect(code).toBe(2);
  });
});
