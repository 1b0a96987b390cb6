import { readFileSync } from 'node:fs';
import { parseSchedule, scheduleText } from '../../explore/index.ts';
import { describeFileFault } from '../../shared/file-fault.ts';
import { StartError } from '../../shared/start-error.ts';

/** Returns the failures that a file names, one on each line. A text after # is a remark. */
export function readKnownFailures(file: string | undefined): ReadonlySet<string> {
  if (file === undefined) return new Set();
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartError(`cannot read the file of --known, ${file}: ${describeFileFault(error)}`);
  }
  const named = text.split('\n').map((line) => line.replace(/#.*/, '').trim());
  return new Set(named.filter((line) => line !== '').map((line) => scheduleText(parseSchedule(line))));
}
