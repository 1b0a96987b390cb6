import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { takeOnePayment } from './one-payment.ts';
import { packageFolder } from './package-folder.ts';

/**
 * Tries the package before it is published: builds it, packs it, and uses its commands, exports and types in another
 * project (test/consumer). Also proves that the sources run without a build.
 *
 * The project has only the package and its direct dependencies. These dependencies are links to this clone's
 * `node_modules`. With `--install`, they are installed from the registry instead, as on a user's machine. Everything
 * runs on the Node that runs this script.
 */
const root = join(import.meta.dirname, '..');
const project = mkdtempSync(join(tmpdir(), 'pinpad-smoke-'));
const installed = join(project, 'node_modules/pinpad');
/** The packages that the project has in addition to pinpad. */
const own = ['vitest', 'typescript', '@types/node'];

const checks: Record<string, () => unknown> = {
  'the package contains no tests, and every link in its pages has a target': checkContents,
  'the package has every file that it exports': checkExports,
  'the package has the licences of everything that is bundled': checkLicenses,
  'pinpad --help teaches': () => {
    if (!pinpad('--help').includes('pinpad up')) throw new Error('the help does not mention "pinpad up"');
  },
  '"pinpad run" runs a scenario': () => pinpad('run', 'sale.yaml'),
  '"pinpad explore" uses two threads': exploreInThreads,
  'the types can be found in the way Node finds them': () => tool('typescript/bin/tsc', '-p', '.'),
  'the types can be found in the way bundlers find them': () =>
    tool('typescript/bin/tsc', '-p', 'tsconfig.bundler.json'),
  'pinpad/testing says that a version of Node is too old': () => {
    const old = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.1.0'})`;
    const said = node(
      '--import',
      old,
      '-e',
      "import('pinpad/testing').catch((error) => console.log(error.message))",
    );
    if (!said.startsWith('pinpad needs Node 22.18')) throw new Error(`it says ${said}`);
  },
  'pinpad/testing with Vitest': () => tool('vitest/vitest.mjs', 'run'),
  'pinpad/testing works with node:test, and pinpad/client works': () => node('--test', 'plain.node.ts'),
  '"pinpad up" of the package makes a payment': () => payWith(join(installed, 'bin/pinpad.js')),
  '"pinpad up" of a bundled clone of the repository makes a payment': () =>
    payWith(join(root, 'bin/pinpad.js')),
  '"pinpad up" of a clone that runs from its sources makes a payment': () => {
    rmSync(join(root, 'dist/sources.json'));
    return payWith(join(root, 'bin/pinpad.js'));
  },
};

try {
  cpSync(join(root, 'test/consumer'), project, { recursive: true });
  execFileSync(process.execPath, [join(root, 'scripts/build.ts')], { stdio: 'inherit' });
  const [packed] = JSON.parse(
    npm(packageFolder, 'pack', '--json', '--ignore-scripts', '--pack-destination', project),
  ) as [{ filename: string }];
  if (process.argv.includes('--install'))
    npm(project, 'install', '--no-audit', '--no-fund', `./${packed.filename}`, ...own);
  else linkDependencies(packed.filename);
  for (const [name, check] of Object.entries(checks)) {
    await check();
    console.log(`✓ ${name}`);
  }
  console.log(`on Node ${process.versions.node}`);
  console.log(`smoke: ${Object.keys(checks).length} passed, 0 failed`);
} finally {
  rmSync(project, { recursive: true, force: true });
}

function npm(cwd: string, ...args: string[]): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Runs Node in the project. If that fails, throws an error with Node's output. */
function node(...args: string[]): string {
  const env = { ...process.env, NO_COLOR: '1', NODE_ENV: undefined };
  try {
    return execFileSync(process.execPath, args, { cwd: project, env, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`node ${args.join(' ')} failed:\n${stdout}${stderr}`);
  }
}

function tool(path: string, ...args: string[]): string {
  return node(join(project, 'node_modules', path), ...args);
}

function pinpad(...args: string[]): string {
  return node(join(installed, 'bin/pinpad.js'), ...args);
}

function exploreInThreads(): void {
  const faults = ['decline@host.1', 'silent@host.1'].flatMap((name) => ['--only', name]);
  const args = ['explore', '--workers', '2', '--threads', '2', ...faults, 'sale.yaml'];
  const command = [join(installed, 'bin/pinpad.js'), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: project, encoding: 'utf8' });
  if (status !== 0 || stderr.includes('thread')) throw new Error(`${stdout}${stderr}`);
}

function manifest(): { dependencies: object; optionalDependencies?: object; exports: object } {
  return JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
}

/**
 * Links the declared dependencies only. So if the package uses a dependency that it does not declare, the package does
 * not find this dependency, and the check fails.
 */
function linkDependencies(tarball: string): void {
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(project, tarball), '-C', installed, '--strip-components=1']);
  const { dependencies, optionalDependencies } = manifest();
  for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...own]) {
    const link = join(project, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link);
  }
}

function checkContents(): void {
  const files = globSync('**/*', { cwd: installed, exclude: (path) => path === 'node_modules' });
  const tests = files.filter(
    (file) => /\.(test|testing|fixture)\.|\.map$/.test(file) && !file.startsWith('examples'),
  );
  if (tests.length > 0) throw new Error(`the package has ${tests.join(', ')}`);
  const broken = files
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) => linksOf(file).filter((link) => !existsSync(link)))
    .map((link) => relative(installed, link));
  if (broken.length > 0)
    throw new Error(`pages link to files that are not in the package: ${broken.join(', ')}`);
}

function linksOf(page: string): string[] {
  const text = readFileSync(join(installed, page), 'utf8').replaceAll(/```[\s\S]*?```/g, '');
  return [...text.matchAll(/\]\(([^)#\s]+)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => join(installed, dirname(page), link));
}

function checkExports(): void {
  for (const target of Object.values(manifest().exports))
    for (const file of typeof target === 'string' ? [target] : Object.values(target as object))
      if (!existsSync(join(installed, file))) throw new Error(`${file} is exported, but it is not there`);
}

function checkLicenses(): void {
  const clone = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { dependencies: object };
  const texts = readFileSync(join(installed, 'dist/third-party-licenses.txt'), 'utf8');
  const missing = Object.keys(clone.dependencies)
    .filter((name) => !(name in manifest().dependencies))
    .filter((name) => !texts.includes(`\n${name} `) && !texts.startsWith(`${name} `));
  if (missing.length > 0) throw new Error(`the package has no licence of ${missing.join(', ')}`);
}

function payWith(command: string): Promise<void> {
  return takeOnePayment([process.execPath, command], join(project, 'data'));
}
