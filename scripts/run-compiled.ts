import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { basename, join } from 'node:path';
import { Script } from 'node:vm';

/**
 * Runs a chunk of the bundle that is a script (scripts/as-scripts.ts). If Node's compile cache is on, the code that V8
 * has compiled is stored in the cache's folder when the process ends. The next start uses this code. Node's own cache
 * has only the code that is compiled when a file is loaded, but V8 compiles most functions when they are first called.
 */
export function runCompiled(file: string, values: unknown[]): unknown {
  // An old version of Node has no `getCompileCacheDir`. Even there, pinpad must run far enough to print that the
  // version is too old.
  const folder = getCompileCacheDir?.();
  const kept = folder && join(folder, `pinpad-${basename(file)}-${commandName()}`);
  const cachedData = kept === undefined ? undefined : read(kept);
  const script = new Script(readFileSync(file, 'latin1'), { filename: file, cachedData });
  if (kept && (!cachedData || script.cachedDataRejected))
    process.once('exit', (code) => {
      if (code === 0) keep(kept, script.createCachedData());
    });
  return script.runInThisContext()(...values);
}

/**
 * Returns the name of the command. Each command has its own file of compiled code, because each command calls different
 * functions.
 */
function commandName(): string {
  const [, , name = '', ...rest] = process.argv;
  return /^[a-z-]+$/.test(name) && !rest.includes('--help') ? name : 'help';
}

function read(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined; // at the first run, there is no file
  }
}

/**
 * Writes a file of compiled code completely or not at all, even if the power fails or the disk is full. V8 does not check
 * the compiled code that it reads, so a half-written file would do harm.
 */
function keep(file: string, data: Buffer): void {
  const written = `${file}-${process.pid}`;
  try {
    writeFileSync(written, data, { mode: 0o600, flush: true });
    renameSync(written, file);
  } catch {
    rmSync(written, { force: true }); // without the file, only the next start takes longer
  }
}
