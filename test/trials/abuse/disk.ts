import { execFileSync } from 'node:child_process';
import { mkdirSync, statfsSync } from 'node:fs';
import type { OneGateway } from '../../load/one-gateway.ts';

/** Where the gateway keeps its data: a disk that can be full, and empty again. */
export interface Disk {
  /** How it is made full, for people. */
  readonly how: string;
  fill(): void;
  empty(): void;
  /** Once the gateway has stopped. */
  remove(): void;
}

const roomy = '4g'; // a tmpfs takes memory only for what is in it

/** A file system of its own where this user may mount one; otherwise the database is kept from growing. */
export function diskOf(world: OneGateway): Disk {
  const folder = world.gatewayData;
  mkdirSync(folder, { recursive: true });
  try {
    mount(`size=${roomy},mode=700`, '-t', 'tmpfs', 'none', folder);
  } catch {
    return limitedDatabase(world);
  }
  const unmount = () => void execFileSync('umount', ['--lazy', folder]);
  process.once('exit', unmount); // where the trial breaks off
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

/** What is in use may grow between looking and mounting, and a size below that is refused. */
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

function limitedDatabase(world: OneGateway): Disk {
  return {
    how: 'PRAGMA max_page_count, because mounting a file system needs more rights: ENOSPC ITSELF IS NOT TESTED',
    fill: () => world.gateway.send({ databaseFull: true }),
    empty: () => world.gateway.send({ databaseFull: false }),
    remove: () => {},
  };
}
