import type { Exploration } from '../exploration.ts';
import { scheduleText } from '../plan/schedule.ts';
import type { ExploredSchedule } from '../search/run-schedules.ts';
import type { ExplorationFindings } from './failures.ts';

/**
 * Returns the report for programs. Only `timing` has durations. Without `timing`, two reports of explorations with the
 * same seed are equal.
 */
export function makeExplorationJsonReport(exploration: Exploration, findings: ExplorationFindings): object {
  const { plain, explored, left, stopped, tookMs } = exploration;
  return {
    plain: {
      requests: plain.requests,
      moments: Object.fromEntries(plain.passed),
      exitCode: plain.ended.code ?? null,
    },
    beliefs: plain.sales.some(({ beliefs }) => beliefs.length > 0) ? 'said' : 'not said',
    failures: findings.failures.map(({ shown, also, cause }) => ({
      ...oneOf(shown),
      cause: cause.lines,
      mend: cause.mend,
      also: also.map(({ schedule }) => scheduleText(schedule)),
      output: shown.run.output,
    })),
    known: findings.known.map(oneOf),
    unstable: findings.unstable.map(oneOf),
    runs: explored.map(oneOf),
    notRun: left.map(scheduleText),
    covered: findings.covered,
    neverReached: findings.neverReached,
    oftener: exploration.oftener,
    stopped,
    timing: { tookMs, plainMs: plain.tookMs, runs: explored.map(({ run }) => run.tookMs) },
  };
}

function oneOf({ schedule, wanted, verdict, unstable, run }: ExploredSchedule): object {
  return {
    schedule: scheduleText(schedule),
    ...(wanted === schedule ? {} : { wanted: scheduleText(wanted) }),
    verdict: verdict.is,
    says: verdict.says,
    unstable,
    requests: run.requests.map(
      ({ method, path, told, followed }) =>
        `${method} ${path} ${told}${followed ? ' (a redirect followed)' : ''}`,
    ),
    exitCode: run.ended.code ?? null,
  };
}
