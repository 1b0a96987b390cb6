import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'build/single-file');
/** The module fetch-node.js is plain JavaScript, so the type of its function is written here. */
const { fetchNode } = createRequire(import.meta.url)('../fetch-node.js') as {
  fetchNode(nodeModules: string): string;
};
/**
 * A text in Node's program file. By this text, Node finds out whether its program file contains an application that it
 * must run: nodejs.org/api/single-executable-applications.
 */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** Files that are not needed on Linux x64 with glibc, or that are needed only to build. */
const leftOut = [
  /\.d\.[mc]?ts$|\.map$/,
  /^node_modules\/better-sqlite3\/(deps|src|binding\.gyp)/,
  /\/prebuilds\/(?!linux-x64)/,
  /\.musl\.node$/,
  /^node_modules\/node-addon-api\//,
];

/**
 * Makes one file for Linux x64 from the pinned Node and the contents of the offline archive (build/offline). Returns
 * the file's name in `destination` (docs/decisions/0031).
 */
export function makeSingleFile(destination: string, version: string): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const node = fetchNode(folder);
  gather(join(root, 'build/offline'), version);
  const config = {
    main: join(import.meta.dirname, 'main.cjs'),
    output: join(folder, 'blob'),
    disableExperimentalSEAWarning: true,
    assets: { index: join(folder, 'index'), files: join(folder, 'files') },
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  run(node, '--experimental-sea-config', join(folder, 'config.json'));
  const file = `pinpad-${version}-linux-x64`;
  const made = join(destination, file);
  cpSync(node, made);
  chmodSync(made, 0o755);
  run(node, postject(), made, 'NODE_SEA_BLOB', config.output, '--sentinel-fuse', fuse);
  return file;
}

/** Writes all files into one blob, with an index of them. */
function gather(from: string, version: string): void {
  const own = { 'start.cjs': join(import.meta.dirname, 'start.cjs') };
  const node = { 'dist/node-license.txt': join(folder, '.own-node/LICENSE') };
  const found = globSync('**/*', { cwd: from, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => [relative(from, file), file] as const)
    .filter(([path]) => !leftOut.some((pattern) => pattern.test(path)));
  let at = 0;
  const entries = [...found, ...Object.entries({ ...own, ...node })].sort(([a], [b]) => (a < b ? -1 : 1));
  const files = entries.map(([path, file]) => {
    const content = readFileSync(file);
    const size = content.length;
    at += size;
    return { path, at: at - size, size, sha256: sha256(content), content };
  });
  const all = Buffer.concat(files.map(({ content }) => content));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 22 };
  writeFileSync(join(folder, 'files'), brotliCompressSync(all, { params }));
  const listed = files.map(({ content: _content, ...entry }) => entry);
  const name = `${version}-${sha256(JSON.stringify(listed))}`;
  writeFileSync(join(folder, 'index'), JSON.stringify({ name, files: listed }));
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * Installs the tool that puts the blob into Node's program file, and returns the tool's path. pinpad does not depend on
 * this tool, so npm installs it here, with the versions of its own lock file.
 */
function postject(): string {
  const place = join(folder, 'postject');
  mkdirSync(place);
  for (const file of ['package.json', 'package-lock.json'])
    cpSync(join(import.meta.dirname, 'postject', file), join(place, file));
  run('npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', place);
  return join(place, 'node_modules/postject/dist/cli.js');
}

function run(program: string, ...args: string[]): void {
  try {
    execFileSync(program, args, { encoding: 'utf8', stdio: 'pipe', cwd: folder });
  } catch (error) {
    throw new Error(`${program} ${args.join(' ')} failed:\n${(error as { stderr: string }).stderr}`);
  }
}
