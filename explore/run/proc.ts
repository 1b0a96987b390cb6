import { readdirSync, readFileSync } from 'node:fs';

/** The ticks of a second. Linux shows this number to programs on every machine. */
export const ticksPerSecond = 100;

/** Gives the fields of /proc/PID/stat behind the name, which may contain anything; undefined without such a process or /proc. */
export function statOf(pid: number | string): readonly string[] | undefined {
  const text = look(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  return text?.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** The places of the fields of {@link statOf}, named as in proc(5). */
export const statField = { state: 0, ppid: 1, pgrp: 2, utime: 11, cstime: 14, starttime: 19 } as const;

/** Gives the names in a folder of /proc that are numbers: processes, or a process's threads. */
export function numbersIn(folder: string): readonly number[] {
  const names = look(() => readdirSync(folder)) ?? [];
  return names.map(Number).filter((number) => number > 0);
}

/** Gives undefined if the file or process is gone by the time of the look. */
export function look<Found>(at: () => Found): Found | undefined {
  try {
    return at();
  } catch {
    return undefined;
  }
}
