// Plain JavaScript on purpose: stripping types would take longer than everything that this file does.
const { readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } =
  process.getBuiltinModule('node:fs');
const { join } = process.getBuiltinModule('node:path');

/**
 * A clone has the bundle that `npm ci` made. If a source has changed since then, the clone may also have a bundle that
 * was made in the background (docs/decisions/0036). The file `latestBundleFile` contains the name of that bundle's
 * folder.
 */
export const installBundleFolder = 'dist';
export const backgroundBundlePrefix = '.background-bundle-';
export const latestBundleFile = join('build', 'background-bundle', 'latest');

/**
 * The folder of a clone's bundle also has a note of the files from which the bundle was made. If the bundle was made in
 * the background, its folder also has an empty file for each process that runs it, and the code that Node has compiled.
 */
export const sourcesNoteFile = 'sources.json';
export const usersFolder = 'users';
export const compiledFolder = 'compiled';
export const notPublished = [sourcesNoteFile, usersFolder, compiledFolder];

/** Whether Node was started with options. Options of a debugger, a watcher or a profiler are meant for the sources. */
export function hasNodeOptions() {
  const { NODE_OPTIONS, WATCH_REPORT_DEPENDENCIES } = process.env;
  return process.execArgv.length > 0 || Boolean(NODE_OPTIONS || WATCH_REPORT_DEPENDENCIES);
}

/** Returns the folder of a bundle that was made from the present sources, or undefined if there is none. */
export function freshBundle(root) {
  return [latestBundle(root), installBundleFolder].find((folder) => folder && isMadeOfSources(root, folder));
}

/** Returns the folder of the bundle that was last made in the background. */
export function latestBundle(root) {
  const name = orElse('', () => readFileSync(join(root, latestBundleFile), 'utf8'));
  return name.startsWith(backgroundBundlePrefix) && /^[.\w-]+$/.test(name) ? name : undefined;
}

/**
 * Protects a bundle that was made in the background, so that no process removes the bundle while this process runs.
 * Returns false if the bundle is removed already, or if this process may not write into the bundle's folder.
 */
export function holdBundle(root, folder) {
  if (folder === installBundleFolder) return true;
  const mark = join(root, folder, usersFolder, processFileName(process.pid));
  return orElse(false, () => {
    writeFileSync(mark, '');
    process.once('exit', () => rmSync(mark, { force: true }));
    // A process that removes a bundle removes the note first, and looks for users of the bundle afterwards. So as long
    // as the note is there, this process is not overlooked.
    return statSync(join(root, folder, sourcesNoteFile)).isFile();
  });
}

/**
 * Returns a name for a process. The process id alone is not unique if several containers or machines share the clone,
 * but this name is.
 */
export function processFileName(pid) {
  const { hostname } = process.getBuiltinModule('node:os');
  const container = orElse('', () => readlinkSync('/proc/self/ns/pid'));
  return `${pid}-${hostname()}-${container}`.replaceAll(/[^\w-]/g, '');
}

/**
 * Whether the note describes the present sources. Whenever a program changes a file, the system also changes the file's
 * `ctime`. The times also differ after `chown`, in a copy of the clone, or after a checkout of another commit and back.
 * In those cases the content decides.
 */
function isMadeOfSources(root, folder) {
  return orElse(false, () => {
    const noted = JSON.parse(readFileSync(join(root, folder, sourcesNoteFile), 'utf8'));
    return noted.every(([file, size, mtimeMs, ctimeMs, content]) => {
      const path = `${root}/${file}`; // `join` would take longer than reading the file status
      const now = statSync(path);
      const isUntouched = now.size === size && now.mtimeMs === mtimeMs && now.ctimeMs === ctimeMs;
      return isUntouched || contentHashOf(path) === content;
    });
  });
}

/** Returns a hash of a file's content. For a folder, hashes the names of the files in the folder. */
export function contentHashOf(path) {
  const content = statSync(path).isDirectory() ? readdirSync(path).sort().join('\n') : readFileSync(path);
  return process.getBuiltinModule('node:crypto').hash('sha256', content, 'base64').slice(0, 32);
}

function orElse(otherwise, get) {
  try {
    return get();
  } catch {
    return otherwise;
  }
}
