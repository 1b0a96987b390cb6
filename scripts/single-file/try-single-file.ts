import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeOnePayment } from '../one-payment.ts';

/**
 * Takes payments with the single file, without another Node and with an empty home folder: at a first start, at a
 * second start, and after a file in its cache was changed. Resolves to the seconds of each of these three payments.
 * Also checks that the single file can list serial ports (this needs native code), run scenarios in threads, and fork as
 * pinpad does for PC/SC, and that it refuses a cache folder that other users can read.
 */
export async function trySingleFile(file: string): Promise<Record<'first' | 'second' | 'repaired', number>> {
  const scratch = mkdtempSync(join(tmpdir(), 'pinpad-single-'));
  const home = join(scratch, 'home');
  const env = { HOME: home, PATH: join(scratch, 'no-programs') };
  const payment = async () => {
    const startedMs = performance.now();
    await takeOnePayment([file], join(scratch, 'data'), env);
    return (performance.now() - startedMs) / 1000;
  };
  try {
    mkdirSync(home);
    const first = await payment();
    const second = await payment();
    const [main = ''] = globSync(join(home, '.cache/pinpad/*/dist/cli/main.js'));
    const { size } = statSync(main);
    appendFileSync(main, 'throw new Error("changed");');
    const repaired = await payment();
    if (statSync(main).size !== size)
      throw new Error('a file that was changed in the cache was not restored');
    await forkIt(file, join(main, '../../..'), env);
    otherWays(file, join(main, '../../..'), env);
    return { first, second, repaired };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function otherWays(file: string, folder: string, env: NodeJS.ProcessEnv): void {
  const run = (args: string[], more: NodeJS.ProcessEnv = {}) =>
    spawnSync(file, args, { env: { ...env, ...more }, encoding: 'utf8' });
  const must = (what: string, is: boolean, { stdout, stderr }: { stdout: string; stderr: string }) => {
    if (!is) throw new Error(`${what}:\n${stdout}${stderr}`);
  };
  const ports = run(['readers']);
  must('serial ports cannot be listed', ports.status === 0, ports);
  const scenarios = run(['run', '--threads', '2', join(folder, 'scenarios/library/refunds')]);
  must('scenarios fail over threads', scenarios.status === 0, scenarios);
  chmodSync(folder, 0o755);
  const open = run(['--version']);
  must(
    'a folder that other users can read was not refused',
    open.status === 2 && /of this user alone/.test(open.stderr),
    open,
  );
}

/**
 * Forks the single file with a program to run, as pinpad does for PC/SC. Throws if the single file does not run the
 * program in the same way as Node.
 */
async function forkIt(file: string, folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const program = join(folder, 'forked.cjs');
  writeFileSync(program, 'process.send(process.argv.slice(1));');
  const child = fork(program, ['reader'], { execPath: file, execArgv: [], env });
  const ended = once(child, 'exit').then(() =>
    Promise.reject(new Error('a forked program does not run its file')),
  );
  ended.catch(() => {}); // `ended` also rejects after the process has sent its message, and this is no error
  const [said] = (await Promise.race([once(child, 'message'), ended])) as [string[]];
  if (said.join() !== [program, 'reader'].join())
    throw new Error(`a forked program gets the wrong arguments: ${said}`);
  rmSync(program);
}
