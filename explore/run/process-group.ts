import type { RunGround } from './ground.ts';
import { numbersIn, statField, statOf, ticksPerSecond } from './proc.ts';

/** Whether this system shows what a process group does. */
export const seesGroups = process.platform === 'linux';

/** After this much processor time since its last request a command counts as waiting: it may be a loop that reads a clock. */
const longestMs = 2_000;

/** Watches the activity of a command's process group, apart from its requests. */
export class ProcessGroup {
  readonly #leader: number;
  readonly #lookAt: typeof groupNow;
  /** The processor time that the group had used by the last look. */
  #usedMs: number | undefined;
  /** The same at the first look since its last request or answer. */
  #askedMs: number | undefined;

  constructor(leader: number, lookAt = groupNow) {
    this.#leader = leader;
    this.#lookAt = lookAt;
  }

  /** To be called when a request of the command came or was answered. */
  asked(): void {
    this.#askedMs = undefined;
  }

  /** Whether it computes, would like to, or waits for a disk, or has computed since the last look. */
  isActing(): boolean {
    const { isRunnable, usedMs } = this.#lookAt(this.#leader);
    const hasComputed = this.#usedMs !== undefined && this.#usedMs !== usedMs;
    this.#usedMs = usedMs;
    this.#askedMs ??= usedMs;
    if (usedMs - this.#askedMs > longestMs) return false;
    return isRunnable || hasComputed;
  }
}

/** Stops a run's time from now on while the command's process group acts, if the system shows that. */
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
  /** Whether one of its threads runs, would run if a processor were free, or waits for a disk. */
  readonly isRunnable: boolean;
  /** Processor time, including that of processes which have ended and were waited for. */
  readonly usedMs: number;
}

function groupNow(leader: number): GroupLook {
  let isRunnable = false;
  let ticks = 0;
  // Process numbers are given upwards, so processes that the leader started have higher ones.
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
