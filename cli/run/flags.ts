import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  addOptions,
  makeOption,
  makeTokenOption,
  makeWholeNumberParser,
  parseGatewayAddress,
} from '../options.ts';

/** The options of `pinpad run`. */
export interface RunFlags {
  grep?: string;
  seed?: number;
  workers?: number;
  threads?: number;
  repeat: number;
  bail?: number | true;
  update?: boolean;
  watch?: boolean;
  slow?: boolean;
  tui?: boolean;
  lint?: boolean;
  trace?: 'on' | 'retain-on-failure';
  traces: string;
  junit?: string;
  json?: string;
  list?: boolean;
  gateway?: string;
  controlToken?: string;
}

export function addRunOptions(command: Command): Command {
  addChoiceOfScenarios(command);
  addWaysOfWatching(command);
  return addOptions(command, [
    makeOption('--junit <file>', 'write a JUnit XML report'),
    // The option has no environment variable, because PINPAD_JSON already belongs to the `--json` of other commands.
    // There, `--json` has no value.
    new Option('--json <file>', 'write a JSON report'),
    makeOption(
      '--lint',
      'report all lint findings for the POS of each scenario, and fail if there are any (docs/lint.md)',
    ),
    makeOption(
      '--gateway <url>',
      'use this running gateway, in real time; scenarios that cannot run there are skipped',
      parseGatewayAddress,
    ),
    makeTokenOption('--control-token <token>', 'with --gateway: the control token of the gateway'),
  ]);
}

function addChoiceOfScenarios(command: Command): void {
  addOptions(command, [
    makeOption('--grep <text>', 'run only scenarios whose name, file or tags match this regular expression'),
    makeOption('--list', 'list the scenarios without running them'),
    makeOption(
      '--seed <number>',
      'the seed for identifiers; the same seed gives the same journal',
      makeWholeNumberParser(0, 2 ** 32 - 1),
    ),
    makeOption(
      '--workers <count>',
      'how many scenarios run at the same time; by default 4 for each thread',
      makeWholeNumberParser(1, 64),
    ),
    makeOption(
      '--threads <count>',
      'how many threads run scenarios; by default one for each core, and only one with --slow, --tui, --update or --gateway',
      makeWholeNumberParser(1, 64),
    ),
    makeOption(
      '--repeat <times>',
      'run every scenario this many times; each repetition uses the next seed',
      makeWholeNumberParser(1, 100_000),
    ).default(1),
    makeOption('--bail [failures]', 'stop after this many failures (1)', bailCount),
  ]);
}

/**
 * Reads the number of --bail. Users may leave the number out, so the next word of the command line may be a path
 * instead.
 */
function bailCount(text: string): number {
  if (!/^\d+$/.test(text))
    throw new InvalidArgumentError('must be a number; write --bail=1 if a path follows the option.');
  return makeWholeNumberParser(1, 100_000)(text);
}

function addWaysOfWatching(command: Command): void {
  addOptions(command, [
    makeOption(
      '--update',
      'store the actual values as the expected values of the scenarios (docs/scenarios.md)',
    ),
    makeOption('--watch', 'run the scenarios again whenever one of them changes; Ctrl-C ends'),
    makeOption(
      '--slow',
      'run the scenarios one after another, slowly enough to follow, and print every step',
    ),
    makeOption('--tui', 'run the scenarios slowly, one after another, and show the terminals'),
    makeOption(
      '--trace <when>',
      'write a page with every message and screen for each scenario (docs/traces.md)',
    ).choices(['on', 'retain-on-failure']),
    makeOption('--traces <folder>', 'the folder where traces are written').default('traces'),
  ]);
}
