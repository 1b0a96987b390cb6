import { Command, InvalidArgumentError, Option } from 'commander';
import { systemClock } from '../../shared/clock.ts';
import { resolveConfig, StartError } from '../../stack/index.ts';
import {
  CardCatalogue,
  defaultCards,
  type EmulatedReaderAddress,
  type EmulatedReaderOptions,
  runReaderEmulator,
} from '../../terminal-emulator/index.ts';
import { handleStopSignals } from '../listen-for-stop.ts';
import { makeOption } from '../options.ts';

interface EmulatorFlags {
  pty?: string;
  port?: string;
  tcp?: { host: string; port: number };
  framing?: string;
  echo?: boolean;
  protocol?: 'T=0' | 'T=1';
  lrc?: boolean;
  config?: string;
  json?: boolean;
}

const description = `Emulates a card reader on a serial line: pn532 (tap), ccid (insert) or msr
(swipe). A script can then present cards to the driver of that reader.

Try it, in two windows; a pseudo-terminal needs the program socat:
  $ pinpad reader-emulator pn532 --pty /tmp/reader
  $ pinpad up --reader pn532:/tmp/reader
Ring up a sale, then type into the first window:
  tap visa-credit

The answer to each command is one line, which begins with "error:" if the command
failed. Type these commands on standard input, one on each line:
  tap CARD [MS]   holds a card to a pn532, for MS milliseconds (1500)
  insert CARD     puts a card into a ccid, where it stays until remove
  remove          takes the card out
  swipe CARD      draws a card through an msr
  cards           lists all cards (docs/cards.md)
  quit            ends the program, like the end of the input

The first line on standard output is the --reader option for a terminal.`;

const framings = { pn532: [], ccid: ['gempc', 'acs'], msr: ['plain', 'magtek', 'idtech', 'uic'] } as const;

export function makeReaderEmulatorCommand(): Command {
  return new Command('reader-emulator')
    .description(description)
    .argument('<reader>', 'pn532, ccid or msr', kindNamed)
    .option('--pty <path>', 'create a pseudo-terminal at this path (needs socat)')
    .option(
      '--port <path>',
      "emulate the reader on this serial port; connect the port to the driver's port with a null-modem cable or a socat pair",
    )
    .option(
      '--tcp <host:port>',
      'listen on a TCP port, as a serial server does; 0 takes any free port',
      hostAndPort,
    )
    .option('--framing <framing>', 'for ccid: gempc or acs; for msr: plain, magtek, idtech or uic')
    .option('--echo', 'for ccid: echo commands, as a GemPC Twin does')
    .addOption(
      new Option('--protocol <protocol>', 'for ccid: the protocol of the chips (T=0)').choices([
        'T=0',
        'T=1',
      ]),
    )
    .option('--lrc', 'for msr: send check characters')
    .addOption(makeOption('--config <file>', 'a YAML configuration with further cards'))
    .option('--json', 'print the first line as JSON: {"reader", "pid"}')
    .action(emulate);
}

async function emulate(kind: keyof typeof framings, flags: EmulatorFlags): Promise<void> {
  const place = placeOf(flags);
  const cards = new CardCatalogue([...defaultCards, ...resolveConfig(flags.config).cards]).all();
  const { stopped } = handleStopSignals();
  const emulator = await runReaderEmulator(
    { reader: readerOf(kind, flags), place, cards, input: process.stdin, output: process.stdout },
    { clock: systemClock },
  ).catch((error: Error) => {
    throw new StartError(error.message);
  });
  console.log(
    flags.json
      ? JSON.stringify({ reader: emulator.readerSpec, pid: process.pid })
      : `--reader ${emulator.readerSpec}`,
  );
  await Promise.race([stopped, emulator.ended]);
  await emulator.close();
  process.stdin.destroy();
}

function placeOf({ pty, port, tcp }: EmulatorFlags): EmulatedReaderAddress {
  const places: (EmulatedReaderAddress | undefined)[] = [
    pty === undefined ? undefined : { kind: 'pty', path: pty },
    port === undefined ? undefined : { kind: 'serial', path: port },
    tcp && { kind: 'tcp', ...tcp },
  ];
  const [place, another] = places.filter((each) => each !== undefined);
  if (!place || another) throw new StartError('use one of --pty, --port and --tcp');
  return place;
}

function readerOf(kind: keyof typeof framings, flags: EmulatorFlags): EmulatedReaderOptions {
  const { framing, echo, protocol, lrc } = flags;
  for (const [flag, given, owner] of [
    ['--echo', echo, 'ccid'],
    ['--protocol', protocol, 'ccid'],
    ['--lrc', lrc, 'msr'],
  ] as const)
    if (given !== undefined && kind !== owner)
      throw new StartError(`${flag} is for ${owner}, not for ${kind}`);
  if (framing !== undefined && !framings[kind].some((each) => each === framing))
    throw new StartError(
      `--framing ${framing}: ${kind} has ${framings[kind].length === 0 ? 'none' : framings[kind].join(', ')}`,
    );
  return {
    kind,
    ...(framing === undefined ? {} : { framing }),
    ...(echo ? { echo } : {}),
    ...(protocol ? { protocol } : {}),
    ...(lrc ? { lrc } : {}),
  } as EmulatedReaderOptions;
}

function kindNamed(text: string): keyof typeof framings {
  if (Object.hasOwn(framings, text)) return text as keyof typeof framings;
  throw new InvalidArgumentError('must be pn532, ccid or msr.');
}

function hostAndPort(text: string): { host: string; port: number } {
  const [, host = '', port = ''] = /^(?:(\[[^\]]+\]|[^:]+):)?(\d+)$/.exec(text) ?? [];
  if (port === '' || Number(port) > 65_535)
    throw new InvalidArgumentError('is HOST:PORT, e.g. 127.0.0.1:4000.');
  return { host: host.replace(/^\[|\]$/g, '') || '127.0.0.1', port: Number(port) };
}
