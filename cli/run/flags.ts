import { type Command, InvalidArgumentError, Option } from 'commander';
import { addOptions, option, parseGatewayAddress, tokenOption, wholeNumberParser } from '../options.ts';

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
    option('--junit <file>', 'write a JUnit XML report'),
    // The option has no environment variable, because PINPAD_JSON belongs to `--json` of other commands, which has no
    // value.
    new Option('--json <file>', 'write a JSON report'),
    option(
      '--lint',
      'report all lint findings for the POS of each scenario, and fail if there are any (docs/lint.md)',
    ),
    option(
      '--gateway <url>',
      'run the scenarios that allow it on this running gateway, in real time',
      parseGatewayAddress,
    ),
    tokenOption('--control-token <token>', 'the control token of that gateway'),
  ]);
}

function addChoiceOfScenarios(command: Command): void {
  addOptions(command, [
    option('--grep <text>', 'run only scenarios whose name, file or tags match this regular expression'),
    option('--list', 'list the scenarios without running them'),
    option(
      '--seed <number>',
      'the seed for identifiers; the same seed gives the same journal',
      wholeNumberParser(0, 2 ** 32 - 1),
    ),
    option(
      '--workers <count>',
      'how many scenarios run at the same time; by default 4 for each thread',
      wholeNumberParser(1, 64),
    ),
    option(
      '--threads <count>',
      'how many threads run scenarios; by default one for each core, and only one with --slow, --tui, --update or --gateway',
      wholeNumberParser(1, 64),
    ),
    option(
      '--repeat <times>',
      'run every scenario this many times, each with the next seed',
      wholeNumberParser(1, 100_000),
    ).default(1),
    option('--bail [failures]', 'stop after this many failures (1)', bailCount),
  ]);
}

/**
 * Reads the number of --bail. Users may leave the number out, so the next word of the command line may be a path
 * instead.
 */
function bailCount(text: string): number {
  if (!/^\d+$/.test(text))
    throw new InvalidArgumentError('must be a number; write --bail=1 if a path follows the option.');
  return wholeNumberParser(1, 100_000)(text);
}

function addWaysOfWatching(command: Command): void {
  addOptions(command, [
    option(
      '--update',
      'write the values that scenarios see into their stored expectations (docs/scenarios.md)',
    ),
    option('--watch', 'run the scenarios again whenever one of them changes; Ctrl-C ends'),
    option('--slow', 'run the scenarios one after another, slowly enough to follow, and print every step'),
    option('--tui', 'show the terminals while the scenarios run, one after another, slowly'),
    option(
      '--trace <when>',
      'write a page with every message and screen for each scenario (docs/traces.md)',
    ).choices(['on', 'retain-on-failure']),
    option('--traces <folder>', 'the folder where traces are written').default('traces'),
  ]);
}
