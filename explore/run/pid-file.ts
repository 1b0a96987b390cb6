import { execFileSync } from 'node:child_process';
import { lstatSync, readFileSync, statSync } from 'node:fs';
import { StartError } from '../../shared/start-error.ts';
import { processStatFieldIndex, readProcessStat, ticksPerSecond, undefinedIfThrows } from './proc.ts';

/**
 * Kills the process whose id is in a file (`--kill`). The file must have been written in this run, and have one number
 * above 1. The process must be of the same user and have begun in this run, and must be neither explore nor one of its
 * ancestors.
 * @param platform the system, which determines how the owner and the start time of a process are read
 * @throws StartError if the file names no such process
 */
export function killByPidFile(path: string, begun: RunBeginning, platform = process.platform): void {
  const pid = readPid(path, begun.at);
  if (pid === process.pid || ancestors().includes(pid))
    throw new StartError(
      `--kill ${path}: process ${pid} is "pinpad explore" itself, or a process that started "pinpad explore"`,
    );
  if (platform !== 'win32') {
    const found = platform === 'linux' ? inProc(pid, begun) : byPs(pid, begun);
    if (!found) throw new StartError(`--kill ${path}: there is no process ${pid}`);
    if (found.uid !== process.getuid?.())
      throw new StartError(`--kill ${path}: process ${pid} belongs to another user`);
    if (found.isOlder) throw new StartError(`--kill ${path}: process ${pid} started before this run`);
  }
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH')
      throw new StartError(`--kill ${path}: process ${pid} cannot be ended: ${(error as Error).message}`);
  }
}

function readPid(path: string, begunAt: number): number {
  const found = undefinedIfThrows(() => lstatSync(path));
  if (!found?.isFile())
    throw new StartError(
      `--kill ${path}: this is not a regular file; the command must write a process id into a regular file`,
    );
  if (found.mtimeMs < begunAt - clockSlackMs)
    throw new StartError(`--kill ${path}: the file was not written in this run`);
  if (found.size > 20) throw new StartError(`--kill ${path}: the file must contain only a process id`);
  const text = readFileSync(path, 'utf8').trim();
  const pid = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (pid <= 1) throw new StartError(`--kill ${path}: the file must contain a process id above 1`);
  return pid;
}

/** The tolerance for times of files and of `ps`, because these times are less precise than the clock. */
const clockSlackMs = 1_000;

interface FoundProcess {
  readonly uid: number;
  /** Whether the process began before the run did. */
  readonly isOlder: boolean;
}

function inProc(pid: number, begun: RunBeginning): FoundProcess | undefined {
  const uid = undefinedIfThrows(() => statSync(`/proc/${pid}`))?.uid;
  return uid === undefined ? undefined : { uid, isOlder: (startOf(pid) ?? 0) < begun.ticks };
}

/** Reads a process with `ps`, on systems without /proc. The output has the form `501 Wed Nov 25 18:31:36 2026`. */
function byPs(pid: number, begun: RunBeginning): FoundProcess | undefined {
  const env = { ...process.env, LC_ALL: 'C' };
  const args = ['-o', 'uid=,lstart=', '-p', `${pid}`];
  const line = undefinedIfThrows(() => execFileSync('ps', args, { env, encoding: 'utf8', stdio: 'pipe' }));
  const [, uid, began] = /^\s*(\d+)\s+(\S.*)/.exec(line ?? '') ?? [];
  if (uid === undefined || began === undefined) return undefined;
  return { uid: Number(uid), isOlder: !(Date.parse(began) >= begun.at - clockSlackMs) };
}

/** Returns the ids of this process's ancestors, up to the first process. */
function ancestors(): number[] {
  const found: number[] = [];
  for (let pid = process.ppid; pid > 1 && found.length < 100; ) {
    found.push(pid);
    pid = Number(readProcessStat(pid)?.[processStatFieldIndex.ppid] ?? 0);
  }
  return found;
}

/** The time at which a run began: `at` by the clock, and `ticks` in the unit of the start times of processes. */
export interface RunBeginning {
  /** The time in epoch milliseconds. If the file with the process id is older than this, it is not used. */
  readonly at: number;
  readonly ticks: number;
}

export function runBeginningAt(at: number): RunBeginning {
  const uptime = undefinedIfThrows(() => readFileSync('/proc/uptime', 'utf8')) ?? '0';
  return { at, ticks: Math.floor(Number(uptime.split(' ')[0]) * ticksPerSecond) };
}

/** Returns the start time of a process, in ticks since the machine started. */
function startOf(pid: number): number | undefined {
  const ticks = readProcessStat(pid)?.[processStatFieldIndex.starttime];
  return ticks === undefined ? undefined : Number(ticks);
}
