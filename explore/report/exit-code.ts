import type { Exploration } from '../exploration.ts';
import type { Findings } from './failures.ts';

/**
 * 0 all survived; 1 failures; 3 the plain run fails or differs; 4 stopped early, or only unstable points. (2, nothing to explore, is
 * a StartError.)
 */
export function exitCodeOf(
  { plain, differs, left, stopped }: Exploration,
  { failures, unstable }: Findings,
): number {
  if (differs || plain.ended.timedOut || plain.ended.code !== 0) return stopped ? 4 : 3;
  if (failures.length > 0) return 1;
  return stopped || left.length > 0 || unstable.length > 0 ? 4 : 0;
}
