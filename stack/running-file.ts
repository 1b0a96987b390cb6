import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivateFile } from '../shared/data-folder.ts';
import { statRegularFile } from '../shared/regular-file.ts';

/**
 * The note that a running `pinpad up` writes for other commands on the same machine. It has the address and the tokens
 * of the gateway.
 */
export interface RunningNote {
  url: string;
  pid: number;
  controlToken: string;
  token: string;
  terminals: { poiId: string; identifier: string }[];
}

const fileIn = (folder: string) => join(folder, 'running.json');

export function writeRunningNote(folder: string, running: RunningNote): void {
  writePrivateFile(fileIn(folder), `${JSON.stringify(running, null, 2)}\n`);
}

/** Removes this process's note, unless another process has replaced it already. */
export function removeRunningNote(folder: string): void {
  if (readRunningNote(folder)?.pid === process.pid) rmSync(fileIn(folder), { force: true });
}

/** Reads the note of the gateway that keeps its data in `folder`; undefined if no such gateway is running. */
export function readRunningNote(folder: string): RunningNote | undefined {
  try {
    statRegularFile(fileIn(folder));
    const running: unknown = JSON.parse(readFileSync(fileIn(folder), 'utf8'));
    if (!isRunningNote(running)) return undefined;
    // Signal 0 is not sent. The call only checks that the process exists, and throws if it does not.
    process.kill(running.pid, 0);
    return running;
  } catch {
    return undefined;
  }
}

/**
 * Whether the file has the form of a note. It may have another form if another release or another program has written
 * the file. The number of a process is positive: 0 and negative numbers name process groups, which may exist although
 * no gateway is running.
 */
function isRunningNote(json: unknown): json is RunningNote {
  const { url, pid, controlToken, token, terminals } = Object(json) as Partial<RunningNote>;
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0) return false;
  if (!Array.isArray(terminals)) return false;
  const ids = terminals.flatMap((terminal) => [terminal?.poiId, terminal?.identifier]);
  return [url, controlToken, token, ...ids].every((text) => typeof text === 'string');
}
