// The program that the single file runs. It unpacks pinpad's files into the user's cache, checks the files there, and
// starts pinpad from them. Files are needed because Node runs ES modules and loads native code only from files.
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const { createRequire } = require('node:module');
const { homedir } = require('node:os');
const { dirname, isAbsolute, join, sep } = require('node:path');
const { getAsset, getRawAsset } = require('node:sea');
const { brotliDecompressSync } = require('node:zlib');

const { name, files } = JSON.parse(getAsset('index', 'utf8'));
const folder = privateFolder();
putInPlace();

// If pinpad has forked this process, the first argument is the file to run, as in Node. Otherwise all arguments are for
// pinpad's command.
const forked = process.channel && process.argv[2]?.startsWith(folder + sep);
if (forked) process.argv.splice(1, 1);
else process.argv[1] = join(folder, 'bin', 'pinpad.js');
createRequire(join(folder, 'start.cjs'))('./start.cjs');

/**
 * Returns a folder in the user's cache that only this user can access. The files in this folder are run. So a folder
 * that another user has made or can access is refused.
 */
function privateFolder() {
  const { XDG_CACHE_HOME } = process.env;
  const cache = XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(homedir(), '.cache');
  const place = join(cache, 'pinpad', name);
  try {
    fs.mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
    try {
      fs.mkdirSync(place, { mode: 0o700 });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const found = fs.lstatSync(place);
    if (!found.isDirectory() || found.uid !== process.getuid() || (found.mode & 0o077) !== 0)
      refuse(
        `${place} must be a folder that belongs to this user, and that no other user can access: remove it`,
      );
  } catch (error) {
    refuse(`${place} cannot be made (${error.code}): set XDG_CACHE_HOME to a folder that can be written`);
  }
  return fs.realpathSync(place);
}

/**
 * Compares each file in the folder with the file's content in the single file, at every start. Writes the files that
 * are missing or different.
 */
function putInPlace() {
  const wrong = files.filter(({ path, size, sha256 }) => !isAsBrought(join(folder, path), size, sha256));
  if (wrong.length === 0) return;
  const all = brotliDecompressSync(Buffer.from(getRawAsset('files')));
  try {
    for (const { path, at, size } of wrong) write(join(folder, path), all.subarray(at, at + size));
  } catch (error) {
    refuse(`${folder} : the files of pinpad cannot be written into this folder (${error.code})`);
  }
}

function isAsBrought(file, size, sha256) {
  try {
    const found = fs.lstatSync(file);
    return found.isFile() && found.size === size && hash(fs.readFileSync(file)) === sha256;
  } catch {
    return false;
  }
}

function hash(content) {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * Writes a file under another name first, and then renames it. So a second start at the same time never sees a
 * half-written file.
 */
function write(file, content) {
  const making = `${file}.${process.pid}`;
  fs.mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  fs.rmSync(making, { force: true });
  fs.writeFileSync(making, content, { mode: 0o600, flag: 'wx' });
  fs.renameSync(making, file);
}

function refuse(why) {
  console.error(`pinpad: ${why}`);
  process.exit(2);
}
