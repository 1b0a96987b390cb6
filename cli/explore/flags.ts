import { type Command, InvalidArgumentError, Option } from 'commander';
import { vendors } from '../../leading/index.ts';
import { durationSchema, parseDurationMs } from '../../scenarios/index.ts';
import { explorationsFolder } from '../console/explorations.ts';
import {
  addOptions,
  makeOption,
  makeTokenOption,
  makeWholeNumberParser,
  parseGatewayAddress,
} from '../options.ts';

/** The options of `pinpad explore`. */
export interface ExploreFlags {
  as?: string;
  shopper?: string;
  config?: string;
  port?: number;
  seed: number;
  workers: number;
  threads: number;
  before?: string;
  restart?: string;
  kill?: string;
  linger?: boolean;
  gateway?: string | true;
  token?: string;
  controlToken?: string;
  terminal?: string;
  data: string;
  env: readonly string[];
  timeout?: number;
  only?: string[];
  pairs?: boolean;
  limit?: number;
  known?: string;
  list?: boolean;
  json?: string;
  junit?: string;
  html?: string;
  record?: string;
  traces: string;
}

/**
 * Adds the options of `pinpad explore`. Options that run a command or end a process have no environment variable,
 * because a forgotten variable must not run or end anything.
 */
export function addExploreOptions(command: Command): Command {
  addWhatIsRun(command);
  addWhatGoesWrong(command);
  addWhere(command);
  return addOptions(command, [
    new Option('--json <file>', 'write a JSON report'),
    makeOption('--junit <file>', 'write a JUnit XML report'),
    makeOption('--html <file>', 'write an HTML page that shows every fault at every moment'),
    new Option('--record <folder>', 'write each failure as a scenario that fails until you fix it'),
    makeOption(
      '--traces <folder>',
      'the folder for the traces of the runs, and for a page that links these traces; the console shows the page only if this folder is traces/explore',
    ).default(explorationsFolder),
  ]);
}

function addWhatIsRun(command: Command): void {
  addOptions(command, [
    new Option(
      '--as <vendor>',
      'send the command\'s calls for another vendor\'s hosts to the gateway of each run, as "pinpad as" does',
    ).choices(Object.keys(vendors)),
    new Option(
      '--shopper <card>',
      'the card that pays if the command presents none: CARD[:ENTRY][:tip=N][:pin=NNNN], such as visa-credit or visa-credit:ICC',
    ),
    makeOption('--config <file>', 'a configuration file, as for "pinpad up" (docs/configuration.md)'),
    new Option('--port <port>', 'the port of the gateway, which is the same in all runs').argParser(
      makeWholeNumberParser(1, 65_535),
    ),
    makeOption(
      '--seed <number>',
      'the seed for identifiers; the same seed gives the same report',
      makeWholeNumberParser(0, 2 ** 32 - 1),
    ).default(1),
    new Option('--workers <count>', 'how many runs take place at the same time')
      .argParser(makeWholeNumberParser(1, 16))
      .default(1),
    new Option('--threads <count>', 'over how many threads the runs of --workers are spread')
      .argParser(makeWholeNumberParser(1, 16))
      .default(1),
    new Option(
      '--before <command>',
      'a shell command to run before each run, such as a command that resets a database',
    ),
    new Option(
      '--restart <command>',
      'a shell command that starts your point of sale again after a crash; in its environment, the command gets PINPAD_RECOVERY=1',
    ),
    new Option(
      '--kill <pidfile>',
      'a file to which your point of sale writes a process id (PID); a crash of the point of sale also kills this process',
    ),
    new Option(
      '--linger',
      'the command is a server that does not end by itself: wait until no payment, refund or webhook delivery is open, and then end the server',
    ),
    new Option(
      '--env <name=value>',
      'set an environment variable; {url}, {token}, {terminal} and {poiId} are replaced by their values',
    )
      .argParser((text: string, former: readonly string[]) => [...former, text])
      .default([] as readonly string[], 'none'),
    new Option(
      '--timeout <time>',
      'how long a run may take in real time, such as 2 min; by default ten times as long as the run without faults, but at least a minute',
    ).argParser(time),
  ]);
}

function addWhere(command: Command): void {
  addOptions(command, [
    new Option(
      '--gateway [url]',
      'use a gateway that is already running, in real time; without an address, the gateway that runs with the data folder of --data',
    ).argParser(parseGatewayAddress),
    makeTokenOption('--token <token>', 'with --gateway: the API token'),
    makeTokenOption('--control-token <token>', 'with --gateway: the control token'),
    makeOption(
      '--terminal <id>',
      'with --gateway: the UUID or poi_id of the terminal; by default the first terminal',
    ),
    makeOption(
      '--data <folder>',
      'with --gateway: the data folder of a gateway that runs on this machine',
    ).default('.pinpad'),
  ]);
}

function addWhatGoesWrong(command: Command): void {
  addOptions(command, [
    new Option(
      '--only <fault>',
      'try only this fault, named as in the report; repeat the option for more faults',
    ).argParser((text: string, former: string[] = []) => [...former, text]),
    makeOption('--pairs', 'also try pairs of faults in one run'),
    makeOption('--limit <time>', 'try no new fault after this time, such as 5 min', time),
    makeOption('--known <file>', 'a file that lists accepted failures, one per line'),
    makeOption('--list', 'list which faults can be tried at which moments, and run nothing'),
  ]);
}

function time(text: string): number {
  const spaced = text.replace(/^(\d+(?:\.\d+)?)([a-z]+)$/, '$1 $2');
  const read = durationSchema.safeParse(spaced);
  if (!read.success) throw new InvalidArgumentError('must be a time such as 90 s or 5 min.');
  return parseDurationMs(read.data);
}
