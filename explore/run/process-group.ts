import type { RunGround } from './ground.ts';
import { numbersIn, statField, statOf, ticksPerSecond } from './proc.ts';

/** Whether it can be seen here what a process group does. */
export const seesGroups = process.platform === 'linux';

/** So much processor time after its last request a command counts as one that waits: it may be a loop that looks at a clock. */
const longestMs = 2_000;

/** What a command's process group does, beside what its requests tell of it. */
export class ProcessGroup {
  readonly #leader: number;
  readonly #lookAt: typeof groupNow;
  /** The processor time that it had used by the last look. */
  #usedMs: number | undefined;
  /** The same at the first look since it last asked or was told something. */
  #askedMs: number | undefined;

  constructor(leader: number, lookAt = groupNow) {
    this.#leader = leader;
    this.#lookAt = lookAt;
  }

  /** A request of it came, or was answered. */
  asked(): void {
    this.#askedMs = undefined;
  }

  /** It computes, would like to, or waits for a disk; or has computed since it was last looked at. */
  isActing(): boolean {
    const { isRunnable, usedMs } = this.#lookAt(this.#leader);
    const hasComputed = this.#usedMs !== undefined && this.#usedMs !== usedMs;
    this.#usedMs = usedMs;
    this.#askedMs ??= usedMs;
    if (usedMs - this.#askedMs > longestMs) return false;
    return isRunnable || hasComputed;
  }
}

/** From now on a run's time stands while a command's process group acts, where that can be seen. */
export function standWhileActing(
  { standWhile, listen }: Pick<RunGround, 'standWhile' | 'listen'>,
  { pid }: { readonly pid: number | undefined },
): void {
  if (!standWhile || !seesGroups || pid === undefined) return;
  const group = new ProcessGroup(pid);
  listen(({ kind }) => kind.startsWith('http.') && group.asked());
  standWhile(() => group.isActing());
}

interface GroupLook {
  /** One of its threads runs, would if a processor were free, or waits for a disk. */
  readonly isRunnable: boolean;
  /** Processor time, also of processes that have ended and were waited for. */
  readonly usedMs: number;
}

function groupNow(leader: number): GroupLook {
  let isRunnable = false;
  let ticks = 0;
  // Numbers are given upwards, so what the leader started has a higher one.
  for (const pid of numbersIn('/proc').filter((each) => each >= leader)) {
    const stat = statOf(pid);
    if (Number(stat?.[statField.pgrp]) !== leader) continue;
    const times = stat?.slice(statField.utime, statField.cstime + 1) ?? [];
    ticks += times.reduce((sum, time) => sum + Number(time), 0);
    isRunnable ||= numbersIn(`/proc/${pid}/task`).some((thread) => isBusy(`${pid}/task/${thread}`));
  }
  return { isRunnable, usedMs: (ticks * 1_000) / ticksPerSecond };
}

function isBusy(thread: string): boolean {
  const state = statOf(thread)?.[statField.state];
  return state === 'R' || state === 'D';
}
