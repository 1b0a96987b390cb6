import type { Exploration } from '../exploration.ts';
import type { ExplorationFindings } from './failures.ts';

/**
 * Returns 0 if all runs survived, 1 for failures, 3 if the plain run fails or its repetition differs, and 4 if the
 * exploration was stopped early or if its only failures are unstable. (If there is nothing to explore, a StartError
 * ends the command with 2.)
 */
export function exitCodeOf(
  { plain, differs, left, stopped }: Exploration,
  { failures, unstable }: ExplorationFindings,
): number {
  if (differs || plain.ended.timedOut || plain.ended.code !== 0) return stopped ? 4 : 3;
  if (failures.length > 0) return 1;
  return stopped || left.length > 0 || unstable.length > 0 ? 4 : 0;
}
