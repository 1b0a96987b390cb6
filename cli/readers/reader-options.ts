import type { Command } from 'commander';
import { option } from '../options.ts';

/** Options of commands that have terminals a real card reader can be connected to. */
export interface ReaderFlags {
  reader?: string[];
}

/** Spaces between readers, not those in the name of a PC/SC reader: behind them stands `POIID=`, a driver or `auto`. */
const between = /\s+(?=(?:[^\s:=]+=)?(?:auto(?:\s|$)|\w+:))/;

/** `--reader`, again for every further reader; in the environment they are separated by spaces. */
export function addReaderOption(command: Command): Command {
  const several = (text: string, before: string[] | undefined) => [
    ...(before ?? []),
    ...text.trim().split(between).filter(Boolean),
  ];
  return command.addOption(
    option(
      '--reader <reader>',
      'a real card reader at the first terminal, or POIID=READER; repeat for more. pcsc:auto, pcsc:NAME, auto, ' +
        'pn532:/dev/ttyUSB0, msr:COM3, ccid:tcp://HOST:PORT (docs/readers.md; "pinpad readers" lists them)',
    ).argParser(several),
  );
}
