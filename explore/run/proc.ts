import { readdirSync, readFileSync } from 'node:fs';

/** The number of ticks in a second. Linux counts times in /proc in such ticks, on every machine. */
export const ticksPerSecond = 100;

/**
 * Returns the fields of /proc/PID/stat that come after the process's name. The name is left out, because it may contain
 * spaces and brackets. Undefined if there is no such process, or no /proc.
 */
export function readProcessStat(pid: number | string): readonly string[] | undefined {
  const text = undefinedIfThrows(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  return text?.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** The index of each field that {@link readProcessStat} returns. The names are those of proc(5). */
export const processStatFieldIndex = {
  state: 0,
  ppid: 1,
  pgrp: 2,
  utime: 11,
  cstime: 14,
  starttime: 19,
} as const;

/** Returns the entries of a folder of /proc that are numbers: processes, or the threads of a process. */
export function listNumericEntries(folder: string): readonly number[] {
  const names = undefinedIfThrows(() => readdirSync(folder)) ?? [];
  return names.map(Number).filter((number) => number > 0);
}

/** Calls a function that reads /proc. Returns undefined if the file or process no longer exists. */
export function undefinedIfThrows<Found>(at: () => Found): Found | undefined {
  try {
    return at();
  } catch {
    return undefined;
  }
}
