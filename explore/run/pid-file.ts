import { lstatSync, readFileSync, statSync } from 'node:fs';
import { StartError } from '../../shared/start-error.ts';

/**
 * Ends the process that a file of this run names (`--kill`): one number above 1, of a process of the same user that began in this
 * run and is neither explore nor one of its ancestors.
 *
 * @throws StartError if the file names no such process
 */
export function killByFile(path: string, begun: Beginning): void {
  const pid = readPid(path, begun.at);
  if (pid === process.pid || ancestors().includes(pid))
    throw new StartError(`--kill ${path}: ${pid} is explore itself, or started it`);
  const processFolder = `/proc/${pid}`;
  const { uid } = look(() => statSync(processFolder)) ?? {};
  if (process.platform === 'linux') {
    if (uid === undefined) throw new StartError(`--kill ${path}: there is no process ${pid}`);
    if (uid !== process.getuid?.()) throw new StartError(`--kill ${path}: ${pid} is another user's process`);
    if ((startOf(pid) ?? 0) < begun.ticks)
      throw new StartError(`--kill ${path}: ${pid} began before this run did`);
  }
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH')
      throw new StartError(`--kill ${path}: ${pid} cannot be ended: ${(error as Error).message}`);
  }
}

function readPid(path: string, begunAt: number): number {
  const found = look(() => lstatSync(path));
  if (!found?.isFile())
    throw new StartError(`--kill ${path}: is not a regular file; the command writes its number into it`);
  if (found.mtimeMs < begunAt - clockSlackMs)
    throw new StartError(`--kill ${path}: was not written in this run`);
  if (found.size > 20) throw new StartError(`--kill ${path}: holds more than a number`);
  const text = readFileSync(path, 'utf8').trim();
  const pid = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (pid <= 1) throw new StartError(`--kill ${path}: holds no number of a process above 1`);
  return pid;
}

/** File systems count time more coarsely than clocks. */
const clockSlackMs = 1_000;

/** The parents of this process, up to the first. */
function ancestors(): number[] {
  const found: number[] = [];
  for (let pid = process.ppid; pid > 1 && found.length < 100; ) {
    found.push(pid);
    pid = Number(fieldOf(pid, 1) ?? 0);
  }
  return found;
}

/** When a run begins: by the clock, and as the machine counts when processes began. */
export interface Beginning {
  /** Epoch milliseconds: what was written before it says nothing of the run. */
  readonly at: number;
  readonly ticks: number;
}

/** Ticks a second, which Linux shows to programs on every machine. */
const ticksPerSecond = 100;

export function beginningAt(at: number): Beginning {
  const uptime = look(() => readFileSync('/proc/uptime', 'utf8')) ?? '0';
  return { at, ticks: Math.floor(Number(uptime.split(' ')[0]) * ticksPerSecond) };
}

/** In ticks since the machine started. */
function startOf(pid: number): number | undefined {
  const ticks = fieldOf(pid, 19);
  return ticks === undefined ? undefined : Number(ticks);
}

/** A field of /proc/PID/stat, counted behind the name, which may contain anything. */
function fieldOf(pid: number, index: number): string | undefined {
  const text = look(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')[index];
}

function look<Found>(at: () => Found): Found | undefined {
  try {
    return at();
  } catch {
    return undefined;
  }
}
