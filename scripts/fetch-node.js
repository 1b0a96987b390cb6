// Plain JavaScript on purpose: this file must run on a Node that is too old for pinpad.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The places for this Node in node_modules/: a folder of its own, and `.bin`. In `.bin`, npm's scripts and `npx` find
 * this Node before the machine's own Node.
 */
const [folder, linked] = ['.own-node', '.bin'];
const program = process.platform === 'win32' ? 'node.exe' : 'node';

/** Whether this Node can run pinpad's sources, that is, whether it strips types without being asked. */
export function isNewEnough(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 23 || (major === 23 && minor >= 6) || (major === 22 && minor >= 18);
}

/** Returns the one line that is printed if this Node is too old. */
export function tooOldText(why) {
  const { version } = pinned();
  const install = `install Node ${version.split('.')[0]} (22.18 or newer)`;
  return `pinpad needs Node 22.18 or newer, and this is Node ${process.versions.node}: ${install}${why ? `; ${why}` : ''}`;
}

/**
 * Makes npm fetch the pinned Node into node_modules/, and returns the path of its program. npm refuses a package whose
 * hash differs from the one in own-node.json, which is committed. None of the package's scripts run
 * (docs/decisions/0030).
 */
export function fetchNode(nodeModules, { version, packages } = pinned()) {
  const fetched = packages[`${process.platform}-${process.arch}`];
  if (!fetched) throw new Error(`npm has no Node ${version} for ${process.platform} on ${process.arch}`);
  mkdirSync(join(nodeModules, linked), { recursive: true });
  const making = mkdtempSync(join(nodeModules, `${folder}-`));
  try {
    const { name } = fetched;
    install(making, { ...fetched, version });
    const found = join(making, 'node_modules', name);
    const made = join(making, 'made');
    mkdirSync(made);
    for (const part of ['bin', 'LICENSE'])
      if (existsSync(join(found, part))) cpSync(join(found, part), join(made, part), { recursive: true });
    const runs = execFileSync(join(made, 'bin', program), ['--version'], { encoding: 'utf8' }).trim();
    if (runs !== `v${version}`) throw new Error(`the Node that npm fetched is ${runs}`);
    rmSync(join(nodeModules, folder), { recursive: true, force: true });
    renameSync(made, join(nodeModules, folder));
    return link(nodeModules);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

function pinned() {
  return JSON.parse(readFileSync(new URL('own-node.json', import.meta.url), 'utf8'));
}

/** Installs the package in a project of its own, whose lock file contains the hash. */
function install(project, { name, version, integrity }) {
  const dependencies = { [name]: version };
  const write = (file, content) => writeFileSync(join(project, file), JSON.stringify(content));
  write('package.json', { private: true, dependencies });
  write('package-lock.json', {
    lockfileVersion: 3,
    requires: true,
    packages: { '': { dependencies }, [`node_modules/${name}`]: { version, integrity } },
  });
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--global=false'];
  const args = ['ci', ...options, '--include=prod', '--omit=dev', '--prefix', project];
  const { npm_execpath: npm, npm_node_execpath: npmsNode } = process.env;
  const [command, ...before] = npm?.endsWith('npm-cli.js') ? [npmsNode ?? process.execPath, npm] : ['npm'];
  try {
    execFileSync(command, [...before, ...args], {
      cwd: project,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: command === 'npm' && process.platform === 'win32',
    });
  } catch (error) {
    const [, code = error.code ?? 'no reason given'] =
      /^npm error code (\S+)/m.exec(error.stderr ?? '') ?? [];
    throw new Error(`npm could not fetch Node for this clone of the repository (${code})`);
  }
}

function link(nodeModules) {
  const [made, place] = [join(nodeModules, folder, 'bin', program), join(nodeModules, linked, program)];
  rmSync(place, { force: true });
  if (process.platform === 'win32') linkSync(made, place);
  else symlinkSync(join('..', folder, 'bin', program), place);
  return made;
}

/** With `--check`, only says whether pinpad runs on this Node. */
if (process.argv[1] === fileURLToPath(import.meta.url) && !isNewEnough()) {
  const isCheck = process.argv.includes('--check');
  const why = isCheck
    ? 'or run node scripts/fetch-node.js, with which npm fetches Node for this clone of the repository'
    : fetchHere();
  if (why !== undefined) {
    console.error(tooOldText(why));
    process.exitCode = 2;
  }
}

function fetchHere() {
  try {
    fetchNode(fileURLToPath(new URL('../node_modules', import.meta.url)));
    return undefined;
  } catch (error) {
    return error.message;
  }
}
