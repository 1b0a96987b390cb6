import { execFileSync } from 'node:child_process';
import { mkdirSync, statfsSync } from 'node:fs';
import type { OneGateway } from '../../load/one-gateway.ts';

/** The disk that holds the gateway's data. It can be filled and emptied. */
export interface FillableDisk {
  /** How the disk is filled, in words for people. */
  readonly how: string;
  fill(): void;
  empty(): void;
  /** Removes the disk. The gateway must have stopped. */
  remove(): void;
}

const roomy = '4g'; // a tmpfs takes only as much memory as its files need

/**
 * If this user may mount a file system, returns a new file system for the gateway's data. Otherwise returns a disk that
 * seems full because the database may not grow.
 */
export function makeFillableDisk(world: OneGateway): FillableDisk {
  const folder = world.gatewayData;
  mkdirSync(folder, { recursive: true });
  try {
    mount(`size=${roomy},mode=700`, '-t', 'tmpfs', 'none', folder);
  } catch {
    return limitedDatabase(world);
  }
  const unmount = () => void execFileSync('umount', ['--lazy', folder]);
  process.once('exit', unmount); // unmounts the disk if the trial breaks off
  return {
    how: 'a tmpfs without room',
    fill: () => shrink(folder),
    empty: () => mount(`remount,size=${roomy}`, folder),
    remove: () => {
      process.off('exit', unmount);
      unmount();
    },
  };
}

/**
 * Gives the file system the smallest possible size. The system refuses a size below the used space. The used space
 * may grow before the size is set, so this function then tries larger sizes.
 */
function shrink(folder: string): void {
  for (let sparePages = 0; ; sparePages++) {
    const { blocks, bfree, bsize } = statfsSync(folder);
    try {
      return mount(`remount,size=${(blocks - bfree + sparePages) * bsize}`, folder);
    } catch (error) {
      if (sparePages > 50) throw error;
    }
  }
}

function mount(options: string, ...rest: string[]): void {
  execFileSync('mount', ['-o', options, ...rest], { stdio: 'pipe' });
}

function limitedDatabase(world: OneGateway): FillableDisk {
  return {
    how: 'PRAGMA max_page_count, because mounting a file system needs more rights: ENOSPC ITSELF IS NOT TESTED',
    fill: () => world.gateway.send({ databaseFull: true }),
    empty: () => world.gateway.send({ databaseFull: false }),
    remove: () => {},
  };
}
