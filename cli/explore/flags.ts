import { type Command, InvalidArgumentError, Option } from 'commander';
import { vendors } from '../../leading/index.ts';
import { duration, durationMs } from '../../scenarios/index.ts';
import { explorationsFolder } from '../console/explorations.ts';
import { addOptions, addressOption, option, tokenOption, wholeNumberOption } from '../options.ts';

/** The options of `pinpad explore`. */
export interface ExploreFlags {
  as?: string;
  shopper?: string;
  config?: string;
  port?: number;
  seed: number;
  workers: number;
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

/** Options that run a command or end a process have no variable, because a variable that was left behind must not do that. */
export function addExploreOptions(command: Command): Command {
  addWhatIsRun(command);
  addWhatGoesWrong(command);
  addWhere(command);
  return addOptions(command, [
    new Option('--json <file>', 'write a JSON report'),
    option('--junit <file>', 'write a JUnit XML report'),
    option('--html <file>', 'write a page with every moment and fault'),
    new Option('--record <folder>', 'write each failure as a scenario that stays red until it is mended'),
    option(
      '--traces <folder>',
      'where traces and their page are written, which the console shows if it is traces/explore',
    ).default(explorationsFolder),
  ]);
}

function addWhatIsRun(command: Command): void {
  addOptions(command, [
    new Option(
      '--as <vendor>',
      "the command calls another vendor's hosts, and is led to the gateway of each run as by pinpad as",
    ).choices(Object.keys(vendors)),
    new Option(
      '--shopper <card>',
      'who pays where the command presents no card: CARD[:ENTRY][:tip=N][:pin=NNNN], such as visa-credit or visa-credit:ICC',
    ),
    option('--config <file>', 'a configuration as of pinpad up (docs/configuration.md)'),
    new Option('--port <port>', 'the same address in all runs').argParser(wholeNumberOption(1, 65_535)),
    option(
      '--seed <number>',
      'chooses identifiers; the same seed gives the same report',
      wholeNumberOption(0, 2 ** 32 - 1),
    ).default(1),
    new Option('--workers <count>', 'how many runs are made at a time')
      .argParser(wholeNumberOption(1, 16))
      .default(1),
    new Option('--before <command>', 'run by a shell before each run, such as the reset of a database'),
    new Option(
      '--restart <command>',
      'starts your point of sale again after a crash, run by a shell with PINPAD_RECOVERY=1',
    ),
    new Option(
      '--kill <pidfile>',
      'at a crash also end the process whose number your point of sale wrote into this file',
    ),
    new Option(
      '--linger',
      'the command is a server that does not end by itself: it goes on for its receiver of webhooks until nothing is open',
    ),
    new Option(
      '--env <name=value>',
      'a further variable; {url}, {token}, {terminal} and {poiId} stand for theirs',
    )
      .argParser((text: string, former: readonly string[]) => [...former, text])
      .default([] as readonly string[], 'none'),
    new Option(
      '--timeout <time>',
      'how long a run may take in real time, such as 2 min; ten times the run without faults, a minute at least',
    ).argParser(time),
  ]);
}

function addWhere(command: Command): void {
  addOptions(command, [
    new Option(
      '--gateway [url]',
      'explore at a gateway that runs already, in real time; without an address at the one that runs on the data folder here',
    ).argParser(addressOption),
    tokenOption('--token <token>', 'with --gateway: the API token'),
    tokenOption('--control-token <token>', 'with --gateway: the control token'),
    option('--terminal <id>', 'with --gateway: the terminal by UUID or poi_id (the first one)'),
    option('--data <folder>', 'with --gateway: the data folder of one running here').default('.pinpad'),
  ]);
}

function addWhatGoesWrong(command: Command): void {
  addOptions(command, [
    new Option('--only <fault>', 'only this, as the report names it; several times for several').argParser(
      (text: string, former: string[] = []) => [...former, text],
    ),
    option('--pairs', 'also two faults in one run'),
    option('--limit <time>', 'begin no run after this time, such as 5 min', time),
    option('--known <file>', 'a file with failures that are accepted, one a line'),
    option('--list', 'say which fault can be tried at which moment, and run nothing'),
  ]);
}

function time(text: string): number {
  const spaced = text.replace(/^(\d+(?:\.\d+)?)([a-z]+)$/, '$1 $2');
  const read = duration.safeParse(spaced);
  if (!read.success) throw new InvalidArgumentError('must be a time such as 90 s or 5 min.');
  return durationMs(read.data);
}
