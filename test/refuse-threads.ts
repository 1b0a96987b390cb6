import { execFileSync } from 'node:child_process';
import { stat } from 'node:fs/promises';

const nobody = 65_534;

/** From now on, the operating system lets this process start no more threads. It needs the program prlimit. */
export async function refuseThreads(): Promise<void> {
  await stat('.'); // Node starts the threads for its file operations only when it needs them
  execFileSync('prlimit', ['--pid', String(process.pid), '--nproc=0:0']);
  if (process.getuid?.() === 0) process.setuid?.(nobody); // the limit does not apply to root
}
