import { numbersIn, statField, statOf, ticksPerSecond } from './proc.ts';
import type { RunEnvironment } from './run-environment.ts';

/** Whether this system shows the activity of a process group. */
export const canWatchGroups = process.platform === 'linux';

/**
 * A command that has used this much processor time since its last request counts as waiting, because it may only read a
 * clock in a loop.
 */
const longestMs = 2_000;

/** Watches whether a command's process group is active, even while it sends no request. */
export class ProcessGroupWatcher {
  readonly #leader: number;
  readonly #lookAt: typeof groupNow;
  /** The processor time that the group had used by the last look. */
  #usedMs: number | undefined;
  /** The processor time that the group had used at the first look after its last request or answer. */
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

/** From now on, stops a run's time whenever the command's process group is active, if the system shows this. */
export function stopTimeWhileCommandActs(
  { standWhile, listen }: Pick<RunEnvironment, 'standWhile' | 'listen'>,
  { pid }: { readonly pid: number | undefined },
): void {
  if (!standWhile || !canWatchGroups || pid === undefined) return;
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
  // Process ids usually increase, so the processes that the leader has started have higher ids.
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
