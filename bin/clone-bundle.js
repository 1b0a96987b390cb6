// Plain JavaScript on purpose: to strip its types would take longer than all that it does.
const { readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } =
  process.getBuiltinModule('node:fs');
const { join } = process.getBuiltinModule('node:path');

/**
 * A clone has the bundle that `npm ci` made, and at times another one that was made in the background after a source had
 * changed (docs/decisions/0036). The file `latest` has the name of the latter's folder.
 */
export const madeByInstall = 'dist';
export const madeInBackground = '.background-bundle-';
export const latest = join('build', 'background-bundle', 'latest');

/**
 * A clone's bundle also has the note of the files that it was made of. One that was made in the background has an empty
 * file for each process that runs it, and what Node has compiled of it.
 */
export const noteOfSources = 'sources.json';
export const users = 'users';
export const compiled = 'compiled';
export const notPublished = [noteOfSources, users, compiled];

/** Whether Node has options that are meant for the sources: those of a debugger, a watcher or a profiler. */
export function hasNodeOptions() {
  const { NODE_OPTIONS, WATCH_REPORT_DEPENDENCIES } = process.env;
  return process.execArgv.length > 0 || Boolean(NODE_OPTIONS || WATCH_REPORT_DEPENDENCIES);
}

/** Returns the folder of the bundle that was made of the sources as they are now; undefined if there is none. */
export function freshBundle(root) {
  return [latestBundle(root), madeByInstall].find((folder) => folder && isMadeOfSources(root, folder));
}

/** Returns the folder of the bundle that was last made in the background. */
export function latestBundle(root) {
  const name = orElse('', () => readFileSync(join(root, latest), 'utf8'));
  return name.startsWith(madeInBackground) && /^[.\w-]+$/.test(name) ? name : undefined;
}

/**
 * Keeps a bundle that was made in the background from being removed while this process runs. Returns false if it is
 * removed already, or if this process may not write there.
 */
export function holdBundle(root, folder) {
  if (folder === madeByInstall) return true;
  const mark = join(root, folder, users, nameOfUser(process.pid));
  return orElse(false, () => {
    writeFileSync(mark, '');
    process.once('exit', () => rmSync(mark, { force: true }));
    // Who removes a bundle removes its note first, and looks for its users afterwards.
    return statSync(join(root, folder, noteOfSources)).isFile();
  });
}

/** Two containers that share a clone, or two machines, give the same process id to different processes. */
export function nameOfUser(pid) {
  const { hostname } = process.getBuiltinModule('node:os');
  const container = orElse('', () => readlinkSync('/proc/self/ns/pid'));
  return `${pid}-${hostname()}-${container}`.replaceAll(/[^\w-]/g, '');
}

/**
 * Whether the note names the sources as they are. No program can change a file and keep the time of its change
 * (`ctime`). After `chown`, in a copy of the clone, or after a checkout there and back, the times are others, and the
 * content decides.
 */
function isMadeOfSources(root, folder) {
  return orElse(false, () => {
    const noted = JSON.parse(readFileSync(join(root, folder, noteOfSources), 'utf8'));
    return noted.every(([file, size, mtimeMs, ctimeMs, content]) => {
      const path = `${root}/${file}`; // `join` would take longer than to look at the file
      const now = statSync(path);
      const isUntouched = now.size === size && now.mtimeMs === mtimeMs && now.ctimeMs === ctimeMs;
      return isUntouched || contentOf(path) === content;
    });
  });
}

/** Returns a hash of a file's content. A folder's content is the names in it. */
export function contentOf(path) {
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
