import { type Command, InvalidArgumentError, Option } from 'commander';
import { logLevels } from '../shared/log.ts';
import { type Config, type ConfigChanges, resolveConfig } from '../stack/index.ts';

/** An option that is also an environment variable: --log-level is PINPAD_LOG_LEVEL. */
export function option(flags: string, description: string): Option {
  const made = new Option(flags, description);
  return made.env(`PINPAD_${made.name().toUpperCase().replaceAll('-', '_')}`);
}

export function wholeNumber(least: number, most: number) {
  return (text: string): number => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < least || value > most)
      throw new InvalidArgumentError(`must be a whole number from ${least} to ${most}.`);
    return value;
  };
}

/** The address of a gateway. */
export function address(text: string): string {
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
    throw new InvalidArgumentError('must be an address such as http://127.0.0.1:8080.');
  return text;
}

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
