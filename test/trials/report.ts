import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Violation } from '../load/check.ts';
import { runTrial, type TrialSummary } from './run-trial.ts';
import type { TrialKind, TrialOptions } from './trial.ts';

/** The options that were given on the command line. */
interface Given extends Partial<TrialOptions> {
  seed?: number;
  keep?: boolean;
}

/** The time between two lines of progress. */
const saidEveryMs = 10_000;
const mostViolations = 30;

/**
 * Runs a trial, prints its progress and its end, and sets the exit code. If the user presses Ctrl-C, it ends with 130.
 */
export async function reportTrial(
  name: string,
  kind: TrialKind,
  { keep = false, ...given }: Given,
): Promise<void> {
  const { seed = Date.now() % 1_000_000 } = given;
  const folder = mkdtempSync(join(tmpdir(), `pinpad-${name}-`));
  process.once('SIGINT', () => {
    console.error('\nInterrupted.');
    // When this handler runs at exit, all processes have already been killed.
    process.once('exit', () => keep || removeFolder(folder));
    process.exit(130);
  });
  const startedAt = performance.now();
  const settings = Object.entries({ ...given, seed });
  console.log(`${settings.map(([what, value]) => `${what} ${value}`).join(', ')}, data in ${folder}`);
  const say = (text: string) => console.log(text);
  const summary = await runTrial(kind, { ...given, seed, folder, say, progress: progressOf(say) });
  say(`\n${line(summary)}; in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  if (summary.violations.length > 0) {
    process.exitCode = 1;
    console.error(`\nViolated, seed ${seed}; evidence in ${join(folder, 'violation')}:`);
    for (const violation of summary.violations.slice(0, mostViolations)) console.error(textOf(violation));
    return;
  }
  say('No violation: nothing was lost, nothing was paid twice.');
  if (!keep) removeFolder(folder);
}

/** Returns a function that prints the progress, at most once per interval. */
function progressOf(say: (text: string) => void): (summary: TrialSummary) => void {
  let saidAt = performance.now();
  return (summary) => {
    if (performance.now() < saidAt + saidEveryMs) return;
    saidAt = performance.now();
    say(line(summary));
  };
}

function line({ rounds, violations, tally }: TrialSummary): string {
  return `${rounds} rounds, ${violations.length} violations; ${tally.text}`;
}

function textOf({ rule, ids = [], detail }: Violation): string {
  return `  ${rule} (${ids.join(', ')}): ${detail.slice(0, 400)}`;
}

/** Tries several times, because a killed process may write once more. */
function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}
