import { extname } from 'node:path';
import { Command } from 'commander';
import {
  CausesSoFar,
  describeSchedule,
  type Exploration,
  exitCodeOf,
  explore,
  groupExplorationFindings,
  isCardMissing,
  listAllFaults,
  parseSchedule,
  plainRunLine,
  reportText,
  scheduleText,
  writeTrace,
} from '../../explore/index.ts';
import { vendors } from '../../leading/index.ts';
import { colourPaint, plainPaint } from '../../scenarios/index.ts';
import { systemClock } from '../../shared/clock.ts';
import { systemRandom } from '../../shared/random.ts';
import { StartError } from '../../shared/start-error.ts';
import { handleStopSignals } from '../listen-for-stop.ts';
import { prepareOutputFile } from '../output-file.ts';
import { makeEnvironmentProvider } from './environment-provider.ts';
import { addExploreOptions, type ExploreFlags } from './flags.ts';
import { readKnownFailures } from './known-failures.ts';
import { ExploreProgress } from './progress.ts';
import { writeExplorationReports } from './reports.ts';
import { rerunCommandText } from './rerun-command.ts';
import { loadExploredScenario } from './scenario.ts';
import { parseShopper } from './shopper.ts';

/** The program of the threads that carry out the runs. */
const program = new URL(`./explore-thread${extname(import.meta.filename)}`, import.meta.url);

export function makeExploreCommand(): Command {
  const command = new Command('explore')
    .description(
      'Runs a command again and again, each time with one fault. The command makes one sale. ' +
        'If, after a fault, the shop does not know what the customer paid, "pinpad explore" reports the cause (docs/explore.md).\n\n' +
        'Exit code: 0 if your point of sale survived all faults; 1 if there were failures; 2 if there was nothing to explore; 3 if the command fails without faults, or if two runs of the command differ; 4 if the exploration stopped early and found no failure, or if it found only failures that did not occur again when they were repeated.',
    )
    .argument('[command...]', 'the command that makes the sale, after --; or a scenario file')
    .usage(
      '[options] -- COMMAND…\n       pinpad explore [options] SCENARIO.yaml\n       pinpad explore --list',
    );
  return addExploreOptions(command).action(run);
}

async function run(argv: string[], flags: ExploreFlags): Promise<void> {
  if (flags.list) return list();
  if (argv.length === 0)
    throw new StartError('give the command that makes the sale (after --), or give a scenario file');
  if (flags.port !== undefined && flags.workers > 1)
    throw new StartError(
      '--port gives every run the same address, so runs cannot be parallel: leave out --workers or --port',
    );
  if (flags.kill !== undefined && flags.restart === undefined)
    throw new StartError('--kill needs --restart, which starts the killed process again after a crash');
  for (const file of [flags.json, flags.junit, flags.html]) if (file !== undefined) prepareOutputFile(file);
  const known = readKnownFailures(flags.known);
  const scenario = loadExploredScenario(argv, flags);
  const shopper = flags.shopper === undefined ? undefined : parseShopper(flags.shopper);
  const only = flags.only?.map(parseSchedule);
  const env = variablesOf(flags.env);
  const { signal } = handleStopSignals();
  const progress = new ExploreProgress(process.stderr, { pairs: flags.pairs === true });
  let causes: CausesSoFar | undefined;
  const exploration = await explore({
    ...{ argv, before: flags.before, restart: flags.restart, pidFile: flags.kill },
    ...{
      env,
      workers: flags.workers,
      pairs: flags.pairs === true,
      linger: flags.linger === true,
      threads: { count: flags.threads, program },
    },
    // The provider is made last, after every option was read, because only `explore` closes it. So a wrong option
    // cannot leave it open.
    ...{ scenario, arena: await makeEnvironmentProvider(flags, scenario), as: vendors[flags.as ?? ''] },
    ...{ shopper, only },
    limitMs: flags.limit,
    timeoutMs: flags.timeout,
    clock: systemClock,
    random: systemRandom,
    stopped: signal,
    progress: {
      planned: (plain, plans) => {
        console.log(`  ${plainRunLine(plain, plans.length)}`);
        if (flags.shopper === undefined && isCardMissing(plain))
          console.error(
            'pinpad: no card was presented: use --shopper visa-credit to present one at each payment',
          );
        causes = new CausesSoFar(plain, known);
        progress.planned(plans.length);
      },
      noted: (note) => console.error(`pinpad: ${note}`),
      threadEnded: (why) => progress.line(`a thread ended (${why}); another thread repeats its runs`),
      began: (schedule) => progress.began(scheduleText(schedule)),
      again: (schedule) => progress.again(scheduleText(schedule)),
      ended: (one, left) => {
        const cause = causes?.learn(one);
        if (cause)
          progress.line(`✗ ${scheduleText(one.schedule)}: ${one.verdict.says}\n    mend  ${cause.mend}`);
        progress.ended(one, left);
      },
    },
  });
  progress.end();
  await report(exploration, argv, flags, known);
}

/**
 * Prints a line for each combination of a fault and a moment: its name, which --only accepts, and a description. The
 * list does not say which of these moments a command reaches, because pinpad learns that only by running the command.
 */
function list(): void {
  const rows = listAllFaults().map(
    (planned) => [scheduleText([planned]), describeSchedule([planned])] as const,
  );
  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, what] of rows) console.log(`${name.padEnd(width)}  ${what}`);
}

async function report(
  exploration: Exploration,
  argv: readonly string[],
  flags: ExploreFlags,
  known: ReadonlySet<string>,
): Promise<void> {
  const { differs, plain } = exploration;
  const findings = groupExplorationFindings(exploration, known);
  const again = (schedule: string) => rerunCommandText(schedule, argv, flags, process.env);
  process.exitCode = exitCodeOf(exploration, findings);
  if (differs)
    console.log(
      `Two runs of the command differ: ${differs.at} was\n  ${differs.first}\nand then\n  ${differs.second}`,
    );
  else if (process.exitCode === 3) {
    const how = plain.ended.timedOut
      ? 'The command did not end in time'
      : `The command ended with ${plain.ended.code ?? plain.ended.signal}`;
    console.log(
      [
        `${how}, although there was no fault${flags.linger || !plain.ended.timedOut ? '' : ' (use --linger for a server, which does not end by itself)'}. The last lines of the command's output were:`,
        ...plain.output.map((line) => `  ${line}`),
      ].join('\n'),
    );
  } else {
    const paint = process.stdout.isTTY && !process.env.NO_COLOR ? colourPaint : plainPaint;
    console.log(
      await reportText(exploration, findings, {
        paint,
        again,
        trace: (one) => writeTrace(flags.traces, one),
      }),
    );
  }
  await writeExplorationReports(exploration, findings, flags, again);
}

/** Reads variables from texts of the form `NAME=text`. */
function variablesOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf('=');
      if (at < 1)
        throw new StartError(`--env ${text} must have the form NAME=VALUE, such as PAYMENTS_URL={url}`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}
