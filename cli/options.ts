import { type Command, InvalidArgumentError, Option } from 'commander';
import { StartError } from '../shared/start-error.ts';
import { tokenPattern, tokenPatternMessage } from '../shared/token-pattern.ts';
import { readTypedAmount } from '../shared/typed-amount.ts';

/** Adds options to a command, in the order in which its help lists them. */
export function addOptions(command: Command, options: readonly Option[]): Command {
  for (const each of options) command.addOption(each);
  return command;
}

/**
 * Makes an option that users can also set by an environment variable: PINPAD_LOG_LEVEL sets --log-level. `parse` turns
 * the text of the option into its value.
 */
export function makeOption(flags: string, description: string, parse?: (text: string) => unknown): Option {
  const made = new Option(flags, description);
  if (parse) made.argParser(parse);
  const variable = `PINPAD_${made.name().toUpperCase().replaceAll('-', '_')}`;
  // For an option without a value, Commander checks only whether the variable exists. If the variable were not deleted,
  // even PINPAD_JSON=no would switch the option on.
  if (made.isBoolean() && /^(0|false|no|off)$/i.test(process.env[variable] ?? ''))
    delete process.env[variable];
  return made.env(variable);
}

/**
 * Makes an option whose value is a token. The token is sent in a header, so a text that a header cannot contain is
 * refused. The message does not show the text.
 */
export function makeTokenOption(flags: string, description: string): Option {
  const made = makeOption(flags, description);
  return made.argParser((text: string) => {
    if (tokenPattern.test(text)) return text;
    throw new StartError(`--${made.name()} (or ${made.envVar}) ${tokenPatternMessage}`);
  });
}

export function makeWholeNumberParser(least: number, most: number) {
  return (text: string): number => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < least || value > most)
      throw new InvalidArgumentError(`must be a whole number from ${least} to ${most}.`);
    return value;
  };
}

/** Reads an amount in the form in which people type it on the screen. */
export function parseAmount(text: string): number {
  const read = readTypedAmount(text);
  // An InvalidArgumentError is not used here: Commander would add the typed text to its message, although the message
  // already contains this text.
  if ('fault' in read) throw new StartError(read.fault);
  return read.amount;
}

/** Reads the address of a gateway. */
export function parseGatewayAddress(text: string): string {
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
    throw new InvalidArgumentError('must be an address such as http://127.0.0.1:8080.');
  return text;
}
