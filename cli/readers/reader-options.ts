import type { Command } from 'commander';
import { makeOption } from '../options.ts';

/** The options of commands whose terminals can have a real card reader. */
export interface ReaderFlags {
  reader?: string[];
}

/**
 * Matches the spaces between the readers in a list of readers. The name of a PC/SC reader may contain spaces too, so a
 * space matches only before `POIID=`, before a driver, or before `auto`.
 */
const between = /\s+(?=(?:[^\s:=]+=)?(?:auto(?:\s|$)|\w+:))/;

/**
 * Adds `--reader`. Users repeat the option for further readers. In the environment variable, spaces separate the
 * readers.
 */
export function addReaderOption(command: Command): Command {
  const several = (text: string, before: string[] | undefined) => [
    ...(before ?? []),
    ...text.trim().split(between).filter(Boolean),
  ];
  return command.addOption(
    makeOption(
      '--reader <reader>',
      'a real card reader for the first terminal, or POIID=READER for another terminal; repeat the option for more readers. ' +
        'Examples: pcsc:auto, pcsc:NAME, auto, pn532:/dev/ttyUSB0, msr:COM3, ccid:tcp://HOST:PORT (docs/readers.md). "pinpad readers" lists the connected readers',
    ).argParser(several),
  );
}
