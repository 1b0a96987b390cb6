import { listNumericEntries, processStatFieldIndex, readProcessStat, ticksPerSecond } from './proc.ts';
import type { RunEnvironment } from './run-environment.ts';

/** Whether this system shows the activity of a process group. */
export const canWatchProcessGroups = process.platform === 'linux';

/**
 * A command that has used more processor time than this since its last request or answer counts as waiting, because it
 * may only be reading a clock in a loop.
 */
const longestMs = 2_000;

/** Watches whether a command's process group is active, even while it sends no request. */
export class ProcessGroupWatcher {
  readonly #leader: number;
  readonly #lookAt: typeof groupNow;
  /** The group's processor time at the last call of `isActing`. */
  #usedMs: number | undefined;
  /** The group's processor time at the first call of `isActing` after the last request or answer. */
  #askedMs: number | undefined;

  constructor(leader: number, lookAt = groupNow) {
    this.#leader = leader;
    this.#lookAt = lookAt;
  }

  /** Call this when a request of the command has arrived or was answered. */
  asked(): void {
    this.#askedMs = undefined;
  }

  /** Whether the group computes, waits for a processor or a disk, or has computed since the last call. */
  isActing(): boolean {
    const { isRunnable, usedMs } = this.#lookAt(this.#leader);
    const hasComputed = this.#usedMs !== undefined && this.#usedMs !== usedMs;
    this.#usedMs = usedMs;
    this.#askedMs ??= usedMs;
    if (usedMs - this.#askedMs > longestMs) return false;
    return isRunnable || hasComputed;
  }
}

/**
 * From now on, stops the virtual time of a run while the command's process group is active. Does nothing if the system
 * does not show whether the group is active.
 */
export function stopTimeWhileCommandActs(
  { standWhile, listen }: Pick<RunEnvironment, 'standWhile' | 'listen'>,
  { pid }: { readonly pid: number | undefined },
): void {
  if (!standWhile || !canWatchProcessGroups || pid === undefined) return;
  const group = new ProcessGroupWatcher(pid);
  listen(({ kind }) => kind.startsWith('http.') && group.asked());
  standWhile(() => group.isActing());
}

interface GroupLook {
  /** Whether a thread of the group runs, waits for a processor, or waits for a disk. */
  readonly isRunnable: boolean;
  /** The processor time in milliseconds, including that of child processes which have ended. */
  readonly usedMs: number;
}

function groupNow(leader: number): GroupLook {
  let isRunnable = false;
  let ticks = 0;
  // Only processes with an id from the leader's id upwards are read, because a process that the leader has started usually
  // has a higher id than the leader.
  for (const pid of listNumericEntries('/proc').filter((each) => each >= leader)) {
    const stat = readProcessStat(pid);
    if (Number(stat?.[processStatFieldIndex.pgrp]) !== leader) continue;
    const times = stat?.slice(processStatFieldIndex.utime, processStatFieldIndex.cstime + 1) ?? [];
    ticks += times.reduce((sum, time) => sum + Number(time), 0);
    isRunnable ||= listNumericEntries(`/proc/${pid}/task`).some((thread) => isBusy(`${pid}/task/${thread}`));
  }
  return { isRunnable, usedMs: (ticks * 1_000) / ticksPerSecond };
}

function isBusy(thread: string): boolean {
  const state = readProcessStat(thread)?.[processStatFieldIndex.state];
  return state === 'R' || state === 'D';
}
