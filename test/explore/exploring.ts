import { join } from 'node:path';
import { parseShopper } from '../../cli/explore/shopper.ts';
import {
  type Exploration,
  type ExplorationFindings,
  explore,
  groupExplorationFindings,
  makeLocalEnvironmentProvider,
  parseSchedule,
  scheduleText,
} from '../../explore/index.ts';
import { vendors } from '../../leading/index.ts';
import { systemClock } from '../../shared/clock.ts';
import { systemRandom } from '../../shared/random.ts';
import { pythonPath } from '../python.ts';

/** What a test explores. The fields are named after the flags of `pinpad explore`. */
interface Explore {
  readonly command: readonly string[];
  readonly shopper?: string;
  readonly restart?: string;
  readonly before?: string;
  readonly only?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly as?: string;
}

/** Explores a command with two runs at a time, because one run waits while the other computes. */
export async function exploreCommand({ command, shopper, only, as, ...given }: Explore) {
  const exploration = await explore({
    ...{ before: undefined, restart: undefined, pidFile: undefined, env: {}, timeoutMs: undefined, ...given },
    ...{
      argv: command,
      workers: 2,
      pairs: false,
      linger: false,
      limitMs: undefined,
      progress: {},
    },
    as: vendors[as ?? ''],
    arena: makeLocalEnvironmentProvider({
      config: undefined,
      port: undefined,
      seed: 1,
      adyen: as === 'adyen',
    }),
    shopper: shopper === undefined ? undefined : parseShopper(shopper),
    only: only?.map(parseSchedule),
    clock: systemClock,
    random: systemRandom,
    stopped: new AbortController().signal,
  });
  const findings = groupExplorationFindings(exploration);
  return { exploration, findings, failed: failuresOf(findings), story: storyOf(exploration, findings) };
}

/** Returns the schedules that fail, and their verdicts. */
function failuresOf({ failures }: ExplorationFindings): Record<string, string> {
  const all = failures.flatMap(({ shown, also }) => [shown, ...also]);
  return Object.fromEntries(all.map(({ schedule, verdict }) => [scheduleText(schedule), verdict.is]));
}

/** Returns the message of a failed test. */
function storyOf({ plain, differs, explored }: Exploration, { failures }: ExplorationFindings): string {
  const causes = failures.map(({ shown, cause }) => [scheduleText(shown.schedule), ...cause.lines]);
  const runs = explored.map(({ schedule, verdict, run, unstable }) =>
    [
      scheduleText(schedule),
      verdict.is,
      unstable ? 'unstable' : '',
      ...run.requests.map(({ point, told }) => `${point} ${told}`),
    ].join(' '),
  );
  return JSON.stringify({ differs, ended: plain.ended, output: plain.output, causes, runs }, undefined, 1);
}

/** Returns the command line that runs a program of drivers/. */
export function driverCommand(name: string, ...args: readonly string[]): string[] {
  return [pythonPath(), '-B', join(import.meta.dirname, 'drivers', `${name}.py`), ...args];
}
