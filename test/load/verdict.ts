import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Violation } from './check.ts';

/** Says how a test of accidents ended, sets the exit code, and keeps the folder where that is asked for or explains something. */
export function giveVerdict(
  { rounds, violations }: { rounds: number; violations: readonly Violation[] },
  { seed, folder, keep }: { seed: number; folder: string; keep: boolean },
): void {
  if (violations.length === 0) {
    console.log('No violation: nothing was lost, nothing was paid twice.');
    if (!keep) rmSync(folder, { recursive: true });
    return;
  }
  process.exitCode = 1;
  const evidence = join(folder, 'violation');
  console.error(`\nViolated in round ${rounds - 1}, seed ${seed}; evidence in ${evidence}:`);
  for (const { rule, ids = [], detail } of violations)
    console.error(`  ${rule} (${ids.join(', ')}): ${detail.slice(0, 300)}`);
}
