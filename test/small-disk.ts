import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'vitest';

/** A file system that is so small that a test can fill it. */
export class SmallDisk {
  readonly folder: string;
  readonly #filler: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.#filler = join(folder, 'filler');
  }

  /** @throws Error if this process may not mount file systems */
  static mount(megabytes = 4): SmallDisk {
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-disk-'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes * 1024}k`, 'tmpfs', folder], {
        stdio: 'pipe',
      });
    } catch (error) {
      rmdirSync(folder);
      throw error;
    }
    return new SmallDisk(folder);
  }

  /** Writes until the operating system answers ENOSPC. */
  fill(): void {
    const file = openSync(this.#filler, 'w');
    try {
      for (const size of [65_536, 4_096, 1]) writeUntilFull(file, Buffer.alloc(size));
    } finally {
      closeSync(file);
    }
  }

  empty(): void {
    rmSync(this.#filler);
  }

  unmount(): void {
    execFileSync('umount', ['--lazy', this.folder]);
    rmdirSync(this.folder);
  }
}

function writeUntilFull(file: number, block: Buffer): void {
  try {
    while (true) writeSync(file, block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

/**
 * Returns `test` if file systems can be mounted. Otherwise prints a warning and returns `test.skip`. With
 * PINPAD_REQUIRE_OPTIONAL=1 (CI), always returns `test`.
 */
export function testWithMounts(): typeof test | typeof test.skip {
  try {
    SmallDisk.mount().unmount();
    return test;
  } catch (error) {
    if (process.env.PINPAD_REQUIRE_OPTIONAL === '1') return test;
    console.warn(`SKIPPED, NOT PROVEN HERE: no file system can be mounted (${error})`);
    return test.skip;
  }
}
