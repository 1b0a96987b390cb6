import { type Command, InvalidArgumentError, Option } from 'commander';
import { StartError } from '../shared/start-error.ts';
import { tokenPattern, tokenPatternMessage } from '../shared/token-pattern.ts';
import { readTypedAmount } from '../shared/typed-amount.ts';

/** Adds options to a command, in the order in which its help lists them. */
export function addOptions(command: Command, options: readonly Option[]): Command {
  for (const each of options) command.addOption(each);
  return command;
}

/** Makes an option that is also an environment variable: --log-level is PINPAD_LOG_LEVEL. `parse` reads its value. */
export function option(flags: string, description: string, parse?: (text: string) => unknown): Option {
  const made = new Option(flags, description);
  if (parse) made.argParser(parse);
  const variable = `PINPAD_${made.name().toUpperCase().replaceAll('-', '_')}`;
  // Without this, Commander would read every value of the variable as yes.
  if (made.isBoolean() && /^(0|false|no|off)$/i.test(process.env[variable] ?? ''))
    delete process.env[variable];
  return made.env(variable);
}

/**
 * Makes an option whose value is a token. The token goes into a header; a text that a header cannot carry is refused
 * without being shown.
 */
export function tokenOption(flags: string, description: string): Option {
  const made = option(flags, description);
  return made.argParser((text: string) => {
    if (tokenPattern.test(text)) return text;
    throw new StartError(`--${made.name()} (or ${made.envVar}) ${tokenPatternMessage}`);
  });
}

export function wholeNumberParser(least: number, most: number) {
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
  // Commander would add the typed text to the message, which contains that text already.
  if ('fault' in read) throw new StartError(read.fault);
  return read.amount;
}

/** Reads the address of a gateway. */
export function parseGatewayAddress(text: string): string {
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
    throw new InvalidArgumentError('must be an address such as http://127.0.0.1:8080.');
  return text;
}
