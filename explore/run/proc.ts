import { readdirSync, readFileSync } from 'node:fs';

/** Ticks a second, which Linux shows to programs on every machine. */
export const ticksPerSecond = 100;

/** The fields of /proc/PID/stat behind the name, which may contain anything; undefined if there is no such process, or no /proc. */
export function statOf(pid: number | string): readonly string[] | undefined {
  const text = look(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  return text?.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** Where the fields of {@link statOf} stand, as proc(5) names them. */
export const statField = { state: 0, ppid: 1, pgrp: 2, utime: 11, cstime: 14, starttime: 19 } as const;

/** The names of what is in a folder of /proc that are numbers: processes, or a process's threads. */
export function numbersIn(folder: string): readonly number[] {
  const names = look(() => readdirSync(folder)) ?? [];
  return names.map(Number).filter((number) => number > 0);
}

/** What is gone by the time that it is looked at is undefined. */
export function look<Found>(at: () => Found): Found | undefined {
  try {
    return at();
  } catch {
    return undefined;
  }
}
