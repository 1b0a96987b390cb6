import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Clock } from '../shared/clock.ts';
import type { Journal } from '../shared/journal.ts';
import type { Runtime } from '../shared/runtime.ts';

/**
 * The bundling begins when nothing has happened for this long. An earlier start would disturb the user, because
 * bundling keeps a processor busy for seconds.
 */
const usualQuietMs = 10_000;

const root = join(import.meta.dirname, '..');
/** The program that bundles the clone. It exists only beside the sources, so bundles and packages cannot run it. */
const program = join(root, 'scripts/background-bundle/main.ts');

/**
 * Bundles a clone in the background if the last bundle is older than the sources, so that later starts are fast again
 * (docs/decisions/0036). Does nothing if a program, rather than a person, started pinpad. Returns a function that ends
 * the bundling.
 */
export function bundleInBackgroundIfOutdated(
  { journal, realClock }: Pick<Runtime, 'journal' | 'realClock'>,
  tell: (outcome: string) => void,
  quietMs = usualQuietMs,
): () => void {
  if (!isWanted()) return () => {};
  return runWhenJournalQuiet({ journal, clock: realClock, quietMs }, () => runProgram(tell));
}

function isWanted(): boolean {
  const { CI, NODE_ENV, NODE_OPTIONS, NODE_TEST_CONTEXT, VITEST, WATCH_REPORT_DEPENDENCIES } = process.env;
  const isTest = NODE_ENV === 'test' || Boolean(NODE_TEST_CONTEXT || VITEST);
  // A start with options for Node always runs the sources (bin/clone-bundle.js).
  const hasOptions = process.execArgv.length > 0 || Boolean(NODE_OPTIONS || WATCH_REPORT_DEPENDENCIES);
  if (!process.stdout.isTTY || CI || isTest || hasOptions) return false;
  try {
    accessSync(root, constants.W_OK);
  } catch {
    return false;
  }
  return [program, join(root, 'node_modules/rolldown')].every((path) => existsSync(path));
}

interface Quiet {
  readonly journal: Pick<Journal, 'listen'>;
  readonly clock: Clock;
  readonly quietMs: number;
}

/**
 * Calls `begin` once nothing has been added to the journal for `quietMs`. Returns a function that ends the waiting. If
 * `begin` was called already, the function ends the work that `begin` has begun.
 */
export function runWhenJournalQuiet({ journal, clock, quietMs }: Quiet, begin: () => () => void): () => void {
  let happenedAt = clock.monotonic();
  const stopListening = journal.listen(() => {
    happenedAt = clock.monotonic();
  });
  const wait = () => {
    const timer = clock.setTimeout(look, Math.max(0, happenedAt + quietMs - clock.monotonic()));
    return () => {
      clock.clearTimeout(timer);
      stopListening();
    };
  };
  const look = () => {
    if (clock.monotonic() - happenedAt < quietMs) end = wait();
    else {
      stopListening();
      end = begin();
    }
  };
  let end = wait();
  return () => end();
}

function runProgram(tell: (outcome: string) => void): () => void {
  const running = spawn(process.execPath, [program], {
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  });
  running.once('error', (error) => tell(error.message));
  const outcome = text(running.stdout);
  running.once('close', async () => tell((await outcome).trim() || 'ended before'));
  return () => void running.stdin.destroy();
}
