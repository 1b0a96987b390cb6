// Plain JavaScript on purpose: stripping types would take longer than everything that this file does.
const { readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } =
  process.getBuiltinModule('node:fs');
const { join } = process.getBuiltinModule('node:path');

/**
 * A clone has the bundle that `npm ci` made. If a source has changed since then, the clone may also have a bundle that
 * was made in the background (docs/decisions/0036). The file `latestBundleNoteFile` contains the name of that bundle's
 * folder.
 */
export const installedBundleFolder = 'dist';
export const backgroundBundleFolderPrefix = '.background-bundle-';
export const latestBundleNoteFile = join('build', 'background-bundle', 'latest');

/**
 * The folder of a clone's bundle also contains a list of the source files from which the bundle was made. If the bundle
 * was made in the background, the folder also contains an empty file for each process that runs the bundle, and the
 * code that Node has compiled.
 */
export const sourcesNoteFile = 'sources.json';
export const bundleUserPidsFolder = 'users';
export const compileCacheFolder = 'compiled';
export const unpublishedFileNames = [sourcesNoteFile, bundleUserPidsFolder, compileCacheFolder];

/**
 * Whether Node was started with options. If so, the sources run instead of a bundle, because the options may come from
 * a debugger, a watcher or a profiler.
 */
export function hasNodeOptions() {
  const { NODE_OPTIONS, WATCH_REPORT_DEPENDENCIES } = process.env;
  return process.execArgv.length > 0 || Boolean(NODE_OPTIONS || WATCH_REPORT_DEPENDENCIES);
}

/** Returns the folder of a bundle that was made from the present sources, or undefined if there is none. */
export function findFreshBundleFolder(root) {
  return [findLatestBackgroundBundleFolder(root), installedBundleFolder].find(
    (folder) => folder && isMadeOfSources(root, folder),
  );
}

/** Returns the folder of the bundle that was last made in the background. */
export function findLatestBackgroundBundleFolder(root) {
  const name = orElse('', () => readFileSync(join(root, latestBundleNoteFile), 'utf8'));
  return name.startsWith(backgroundBundleFolderPrefix) && /^[.\w-]+$/.test(name) ? name : undefined;
}

/**
 * Protects a bundle that was made in the background, so that no process removes the bundle while this process runs.
 * Returns false if the bundle is removed already, or if this process may not write into the bundle's folder.
 */
export function markBundleInUse(root, folder) {
  if (folder === installedBundleFolder) return true;
  const mark = join(root, folder, bundleUserPidsFolder, makeProcessMarkerFileName(process.pid));
  return orElse(false, () => {
    writeFileSync(mark, '');
    process.once('exit', () => rmSync(mark, { force: true }));
    // A process that removes a bundle first removes the bundle's file `sources.json`, and then looks for processes that
    // use the bundle. So if this file still exists now, that process will notice this one.
    return statSync(join(root, folder, sourcesNoteFile)).isFile();
  });
}

/**
 * Returns a name for a process. The process id alone is not unique if several containers or machines share the clone,
 * but this name is.
 */
export function makeProcessMarkerFileName(pid) {
  const { hostname } = process.getBuiltinModule('node:os');
  const container = orElse('', () => readlinkSync('/proc/self/ns/pid'));
  return `${pid}-${hostname()}-${container}`.replaceAll(/[^\w-]/g, '');
}

/**
 * Whether a bundle's file `sources.json` describes the present sources. If the size and the times of a source are the
 * same, the source is unchanged, because the system changes `ctime` whenever a program changes a file. The times also
 * differ after `chown`, in a copy of the clone, or after a checkout of another commit and back. So if the times differ,
 * the content decides.
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
