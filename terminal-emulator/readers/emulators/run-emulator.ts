import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../../shared/clock.ts';
import type { TestCardDefinition } from '../../../shared/emulator/cards.ts';
import { type DriverChoice, readerOptionText } from '../reader-drivers.ts';
import {
  createEmulatedReader,
  type EmulatedReader,
  EmulatedReaderError,
  type EmulatedReaderOptions,
} from './emulated-reader.ts';
import { type EmulatedReaderAddress, openEmulatorLine } from './emulator-line.ts';

interface ReaderEmulatorOptions {
  readonly reader: EmulatedReaderOptions;
  readonly place: EmulatedReaderAddress;
  /** The cards that can be presented, usually those of the tray. Commands name them by their ids. */
  readonly cards: readonly TestCardDefinition[];
  /**
   * The stream with commands, one on each line. The answers to these commands go to `output`. Without this stream,
   * commands can be given only with `command`.
   */
  readonly input?: Readable;
  readonly output?: Writable;
}

/** A running emulated reader. */
export interface ReaderEmulator extends Omit<EmulatedReader, 'connect' | 'settings'> {
  /** The value with which a terminal's option `--reader` names this reader. */
  readonly readerSpec: string;
  /**
   * Carries out a command such as `tap CARD` or `insert CARD`. Returns one line that says what was done, or why it
   * failed.
   */
  command(line: string): string;
  /**
   * Resolves when the emulator ends, to the reason: the line is gone, the command was `quit`, or the input has ended.
   */
  readonly ended: Promise<string>;
  close(): Promise<void>;
}

const help = 'tap CARD [MS], insert CARD, remove, swipe CARD, cards, quit';

/**
 * Emulates a card reader at a serial port, a pseudo-terminal or a TCP port. A script can present cards to the reader,
 * and the reader's answers go over a real line.
 *
 * @example
 * const reader = await runReaderEmulator(
 * { reader: { kind: 'pn532' }, place: { kind: 'tcp', host: '127.0.0.1', port: 0 }, cards: defaultCards },
 * createRuntime(),
 * );
 * console.log(reader.readerSpec); // pn532:tcp://127.0.0.1:49152
 * reader.command('tap visa');
 *
 * @throws ReaderOpenError or Error, with a message that says why, if the line cannot be opened
 */
export async function runReaderEmulator(
  options: ReaderEmulatorOptions,
  runtime: { readonly clock: Clock },
): Promise<ReaderEmulator> {
  const reader = createEmulatedReader(options.reader, runtime.clock);
  const line = await openEmulatorLine(options.place, reader.settings, runtime.clock, (transport) =>
    reader.connect(transport),
  );
  const quit = Promise.withResolvers<string>();
  const emulator: ReaderEmulator = {
    readerSpec: readerOptionText(choiceOf(options.reader), line.address),
    tap: (card, holdMs) => reader.tap(card, holdMs),
    insert: (card) => reader.insert(card),
    remove: () => reader.remove(),
    swipe: (card) => reader.swipe(card),
    command: (text) => perform(text, reader, options.cards, quit.resolve),
    ended: Promise.race([line.ended, quit.promise]),
    async close() {
      reader.remove();
      await line.close();
    },
  };
  if (options.input) readCommands(options.input, options.output, emulator, quit.resolve);
  return emulator;
}

/**
 * Gives the driver for an emulated reader. A stripe reader's driver understands every form of tracks, so the form need
 * not be named.
 */
function choiceOf(reader: EmulatedReaderOptions): DriverChoice {
  return reader.kind === 'ccid' ? { driver: 'ccid', framing: reader.framing } : { driver: reader.kind };
}

function perform(
  text: string,
  reader: EmulatedReader,
  cards: readonly TestCardDefinition[],
  quit: (why: string) => void,
): string {
  const [verb = '', id = '', number] = text.trim().split(/\s+/);
  const card = () => {
    const found = cards.find((each) => each.id === id);
    if (!found) throw new EmulatedReaderError(`there is no card "${id}": type "cards" to list all cards`);
    return found;
  };
  try {
    switch (verb) {
      case 'tap':
        reader.tap(card(), holdOf(number));
        return `tapped ${id}`;
      case 'insert':
        reader.insert(card());
        return `inserted ${id}`;
      case 'swipe':
        reader.swipe(card());
        return `swiped ${id}`;
      case 'remove':
        reader.remove();
        return 'removed';
      case 'cards':
        return cards.map((each) => each.id).join(' ');
      case 'quit':
        quit('quit');
        return 'bye';
      case '':
      case 'help':
        return help;
      default:
        return `error: unknown command "${verb}": ${help}`;
    }
  } catch (error) {
    if (error instanceof EmulatedReaderError) return `error: ${error.message}`;
    throw error;
  }
}

function holdOf(milliseconds: string | undefined): number | undefined {
  if (milliseconds === undefined) return undefined;
  const holdMs = Number(milliseconds);
  if (!Number.isInteger(holdMs) || holdMs < 1 || holdMs > 600_000)
    throw new EmulatedReaderError('a card must be held for 1 to 600000 milliseconds');
  return holdMs;
}

function readCommands(
  input: Readable,
  output: Writable | undefined,
  emulator: ReaderEmulator,
  quit: (why: string) => void,
): void {
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  lines.on('line', (text) => {
    output?.write(`${emulator.command(text)}\n`);
  });
  lines.on('close', () => quit('the input ended'));
  void emulator.ended.then(() => lines.close());
}
