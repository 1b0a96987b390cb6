import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { npmPack } from './offline-archive.ts';
import { takeOnePayment } from './one-payment.ts';
import { packageFolder } from './package-folder.ts';

/**
 * Measures how long a new user needs for the first payment. Without options, it installs the archive, and the time
 * includes `npm install`. With `--clone`, it clones the last commit, and the time includes `git clone` and `npm ci`, on
 * the machine's own Node. Ends with exit code 1 if the time is above the limit.
 */
const root = join(import.meta.dirname, '..');
const scratch = mkdtempSync(join(tmpdir(), 'pinpad-first-payment-'));
const limitsSeconds = { archive: 20, clone: 60 };
const way = process.argv.includes('--clone') ? 'clone' : 'archive';

/**
 * The environment variables of a user's shell. The changes that npm makes for a script are undone, because npm puts
 * this clone's programs first in the PATH.
 */
const env: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries({ ...process.env, PATH: pathOfMachine() }).filter(([name]) => !/^npm_/i.test(name)),
);

try {
  const seconds = way === 'clone' ? await fromClone() : await fromArchive();
  console.log(`first payment from the ${way}: ${seconds.toFixed(1)} s of ${limitsSeconds[way]} s`);
  if (seconds > limitsSeconds[way]) process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function fromArchive(): Promise<number> {
  const archive = join(scratch, npmPack(packageFolder, scratch));
  const project = join(scratch, 'project');
  mkdirSync(project);
  // The Node of this script is new enough for the package.
  env.PATH = `${dirname(process.execPath)}${delimiter}${env.PATH}`;
  const startedMs = performance.now();
  run(project, 'npm', 'install', '--no-audit', '--no-fund', archive);
  const command = join(project, 'node_modules/pinpad/bin/pinpad.js');
  await takeOnePayment([process.execPath, command], join(scratch, 'data'), env);
  return (performance.now() - startedMs) / 1000;
}

async function fromClone(): Promise<number> {
  const clone = join(scratch, 'clone');
  const startedMs = performance.now();
  run(scratch, 'git', 'clone', '--quiet', '--depth', '1', `file://${root}`, clone);
  run(clone, 'npm', 'ci', '--no-audit', '--no-fund');
  await takeOnePayment(['node', join(clone, 'bin/pinpad.js')], join(scratch, 'data'), env);
  return (performance.now() - startedMs) / 1000;
}

function run(cwd: string, program: string, ...args: string[]): void {
  execFileSync(program, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
}

function pathOfMachine(): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.filter((folder) => !/node_modules/.test(folder)).join(delimiter);
}
