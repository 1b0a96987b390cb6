import { type Command, InvalidArgumentError } from 'commander';
import { logLevels } from '../../shared/log-levels.ts';
import { type Config, type ConfigChanges, resolveConfig } from '../../stack/index.ts';
import { option, wholeNumber } from '../options.ts';

function positiveNumber(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('must be a number above 0.');
  return value;
}

/** The options of every command that starts a gateway. */
export function addGatewayOptions(command: Command): Command {
  return addTerminalOptions(command)
    .addOption(
      option('--port <port>', 'port to listen on; 0 takes any free one (8080)').argParser(
        wholeNumber(0, 65535),
      ),
    )
    .addOption(option('--host <address>', 'address to listen on (127.0.0.1)'))
    .addOption(
      option('--clock <clock>', 'virtual: time moves only by /control/clock').choices(['real', 'virtual']),
    );
}

/** The options of every command that keeps running. */
export function addTerminalOptions(command: Command): Command {
  return command
    .addOption(option('--config <file>', 'YAML configuration (docs/configuration.md)'))
    .addOption(option('--data <folder>', 'folder of everything that is kept (.pinpad)'))
    .addOption(option('--memory', 'keep nothing: no file is written'))
    .addOption(option('--control-token <token>', 'guards /control; made when absent'))
    .addOption(
      option('--seed <number>', 'the same seed gives the same identifiers').argParser(
        wholeNumber(0, 2 ** 32 - 1),
      ),
    )
    .addOption(
      option('--time-scale <factor>', 'multiplies every timeout; 0.01 makes 150 s 1.5 s').argParser(
        positiveNumber,
      ),
    )
    .addOption(
      option('--pacing <pacing>', 'how long a terminal reads and prints').choices(['natural', 'instant']),
    )
    .addOption(option('--log-level <level>', 'what goes to standard error (warn)').choices([...logLevels]))
    .addOption(option('--json', 'one line of JSON on standard output when ready, for test suites'));
}

export interface GatewayFlags extends ConfigChanges {
  config?: string;
  json?: boolean;
}

/** The configuration file, with what was said on the command line or in the environment above it. */
export function configOf(flags: GatewayFlags): Config {
  const { config, json: _json, ...changes } = flags;
  return resolveConfig(config, changes);
}
