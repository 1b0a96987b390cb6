import { constants } from 'node:os';
import { Command } from 'commander';
import {
  colourPaint,
  findCommonFolder,
  plainPaint,
  type RunSummary,
  resultLine,
  runScenario,
  runScenarioRemotely,
  runScenarios,
  runTraced,
  type Scenario,
  type ScenarioResult,
  type ScenarioRunOptions,
  ScenarioThreads,
  summaryText,
  type TraceSettings,
} from '../../scenarios/index.ts';
import { systemClock } from '../../shared/clock.ts';
import { type ControlledGateway, StartError } from '../../stack/index.ts';
import { handleStopSignals } from '../listen-for-stop.ts';
import { prepareOutputFile } from '../output-file.ts';
import { ScenarioFileWatcher } from './changes.ts';
import { addRunOptions, type RunFlags } from './flags.ts';
import { RunProgress } from './progress.ts';
import { printGithubAnnotations, printReportWriteError, writeRunReports } from './reports.ts';
import { findShippedScenariosFolder, selectScenarios } from './selection.ts';
import { makeSlowRunOptions, requireTuiWindow, runScenarioInTui } from './slow.ts';
import { chooseThreadAndWorkerCounts } from './threads-and-workers.ts';
import { lintPosRequests } from './watch-pos.ts';

export function makeRunCommand(): Command {
  const command = new Command('run')
    .description(
      'Runs scenarios (docs/scenarios.md), each on a gateway and terminals of its own, in virtual time. ' +
        'Without paths it runs the scenarios that come with pinpad.\n\n' +
        'Exit code: 0 if all scenarios passed, 1 if some failed, 2 if nothing could be run or a file could not be written, 130 after Ctrl-C.',
    )
    .argument('[paths...]', 'files, folders or globs');
  return addRunOptions(command).action(run);
}

/** The settings of a run, without its scenarios. */
interface Session {
  readonly flags: RunFlags;
  /** Stops the run in the same way as Ctrl-C. */
  readonly stop: () => void;
  readonly interrupted: AbortSignal;
}

async function run(paths: string[], flags: RunFlags): Promise<void> {
  if (flags.gateway && !flags.controlToken)
    throw new StartError('--gateway needs --control-token: use the control token that the gateway printed');
  if (flags.update && (flags.gateway || flags.seed !== undefined || flags.repeat > 1))
    throw new StartError(
      '--update stores the values of runs with the default seed of each scenario: leave out --gateway, --seed and --repeat',
    );
  if (flags.tui && flags.gateway)
    throw new StartError('--tui shows only scenarios that run in this process: leave out --tui or --gateway');
  if (flags.tui) requireTuiWindow();
  const { stopped, stop } = handleStopSignals();
  const interrupted = new AbortController();
  void stopped.then((signal) => {
    process.exitCode = 128 + constants.signals[signal];
    interrupted.abort();
  });
  const session = { flags, stop, interrupted: interrupted.signal };
  if (flags.watch) await watch(paths, session);
  else if (await runOnce(paths, session)) process.exitCode ??= 1;
  // Without a call of `exit`, the process would continue until the current scenarios have ended.
  if (interrupted.signal.aborted) process.exit();
}

/**
 * Runs the scenarios again after every change, until Ctrl-C. Errors in a file are reported and do not end the command.
 */
async function watch(paths: readonly string[], session: Session): Promise<void> {
  const { interrupted } = session;
  const changes = new ScenarioFileWatcher(paths.length > 0 ? paths : [findShippedScenariosFolder()]);
  const over = new Promise<void>((resolve) => interrupted.addEventListener('abort', () => resolve()));
  try {
    while (!interrupted.aborted) {
      await runOnce(paths, session).catch((error) => {
        if (!(error instanceof StartError)) throw error;
        console.error(`pinpad: ${error.message}`);
      });
      if (interrupted.aborted) break;
      console.log('\nWaiting for changes; Ctrl-C ends.');
      await Promise.race([changes.next(), over]);
    }
  } finally {
    changes.close();
  }
}

function gatewayOf({ gateway: url = '', controlToken = '' }: RunFlags): ControlledGateway {
  return { url, controlToken };
}

function isFailed({ results, pointOfSale = [] }: RunSummary, { lint }: RunFlags): boolean {
  if (results.some(({ verdict }) => verdict === 'failed')) return true;
  return lint === true && (pointOfSale.length > 0 || results.some(({ findings }) => findings.length > 0));
}

/** Runs the scenarios once. Resolves to true if the run has not succeeded. */
async function runOnce(paths: readonly string[], session: Session): Promise<boolean> {
  const { flags, interrupted } = session;
  for (const report of [flags.junit, flags.json]) if (report) prepareOutputFile(report);
  // If the user names no paths, the scenarios that come with pinpad run. These scenarios demonstrate the gateway, so
  // lint findings about them are printed only with --lint.
  const judged = paths.length > 0;
  const scenarios = selectScenarios(judged ? paths : [findShippedScenariosFolder()], flags.grep);
  if (flags.list) {
    for (const { file, at, name } of scenarios) console.log(`${file}:${at.line}  ${name}`);
    return false;
  }
  const below = findCommonFolder(scenarios.map(({ file }) => file));
  const paint = process.stdout.isTTY && !process.env.NO_COLOR ? colourPaint : plainPaint;
  const progress = new RunProgress(scenarios.length * flags.repeat);
  const others = flags.gateway ? await lintPosRequests(gatewayOf(flags)) : undefined;
  const spread = chooseThreadAndWorkerCounts(flags, scenarios.length * flags.repeat);
  const tracing = flags.trace && { when: flags.trace, folder: flags.traces, below };
  const threads = spread.threads > 1 ? new ScenarioThreads({ ...spread, tracing }) : undefined;
  const run = await runScenarios(scenarios, {
    workers: spread.workers,
    repeat: flags.repeat,
    clock: systemClock,
    signal: interrupted,
    seed: flags.seed,
    bail: flags.bail === true ? 1 : flags.bail,
    run: (scenario, seed) =>
      threads ? threads.run(scenario, seed) : runHere(scenario, { seed, tracing }, session, progress),
    started: (scenario) => progress.started(scenario),
    ended: (result) => {
      progress.print(resultLine(result, paint));
      if (result.written !== undefined) progress.print(`  stored in ${result.written}`);
      for (const problem of [result.notWritten, result.notTraced])
        if (problem !== undefined) printReportWriteError(problem);
      progress.ended(result);
      if (judged) printGithubAnnotations(result);
    },
  });
  await (interrupted.aborted ? threads?.loaded() : threads?.close());
  progress.end();
  const summary = others ? { ...run, pointOfSale: await others.findings() } : run;
  console.log(summaryText(summary, paint, flags.lint ? 'all' : judged ? 'brief' : 'none'));
  const traces = summary.results.flatMap(({ trace }) => trace ?? []);
  if (traces.length > 0)
    console.log(traces.length === 1 ? `trace: ${traces[0]}` : `${traces.length} traces in ${flags.traces}`);
  writeRunReports(summary, flags);
  return isFailed(summary, flags);
}

/** Runs a scenario in this thread, with the user's options. */
function runHere(
  scenario: Scenario,
  { seed, tracing }: { seed: number | undefined; tracing: TraceSettings | undefined },
  session: Session,
  progress: RunProgress,
): Promise<ScenarioResult> {
  const { flags } = session;
  return runTraced(tracing, (traced) =>
    runAs(scenario, session, progress, (more = {}) => {
      const options = traced({ seed, update: flags.update === true, ...more });
      return flags.gateway
        ? runScenarioRemotely(scenario, gatewayOf(flags), options)
        : runScenario(scenario, options);
    }),
  );
}

function runAs(
  scenario: Scenario,
  { flags, stop, interrupted }: Session,
  progress: RunProgress,
  run: (options?: ScenarioRunOptions) => Promise<ScenarioResult>,
): Promise<ScenarioResult> {
  if (flags.tui) return runScenarioInTui(scenario, run, { hurry: interrupted, quit: stop });
  if (flags.slow) return run(makeSlowRunOptions(scenario, (text) => progress.print(text), interrupted));
  return run();
}
