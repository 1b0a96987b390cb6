import type { Runtime } from '../shared/runtime.ts';
import {
  type AttachedReader,
  attachReader,
  connectReader,
  describeReaderAddress,
  describeReaderSpec,
  type EmulatedTerminal,
  type Emulator,
  parseReaderSpec,
  type ReaderEntryMode,
  type ReaderSpec,
  ReaderSpecError,
} from '../terminal-emulator/index.ts';
import type { Config } from './config.ts';
import { StartError } from './start-error.ts';

/** A real card reader, and the terminal to which it belongs. */
interface WantedReader {
  readonly poiId: string;
  readonly spec: ReaderSpec;
}

/**
 * Returns the readers that are named in a configuration or on a command line, for terminals that exist. On the command
 * line, `SPEC` is a reader for the first terminal, and `POIID=SPEC` is a reader for the terminal POIID. If the command
 * line names a reader for a terminal, ignores the reader that the configuration names for that terminal.
 *
 * @throws StartError if a text names no reader or an unknown terminal, if two texts name the same port, or if time is
 * virtual
 */
export function findWantedReaders(
  config: Config,
  named: readonly string[],
  poiIds: readonly string[],
): WantedReader[] {
  const texts = named.map((text) => parseReaderArgument(text, poiIds));
  const configured = configuredReaders(config).filter(
    ({ poiId }) => poiIds.includes(poiId) && !texts.some((each) => each.poiId === poiId),
  );
  const wanted = [...texts, ...configured];
  if (wanted.length > 0 && config.clock !== 'real')
    throw new StartError('a card reader needs a real clock: leave out --reader or --clock');
  const readers = wanted.map(({ poiId, text }) => ({ poiId, spec: parseSpec(text) }));
  const ports = readers.map(({ spec }) => {
    if (spec.kind === 'named') return describeReaderAddress(spec.address);
    return describeReaderSpec(spec).toLowerCase(); // PC/SC ignores the case of a reader's name
  });
  const twice = ports.find((port, index) => ports.indexOf(port) < index);
  if (twice) throw new StartError(`${twice} is given to two terminals: one reader serves one terminal`);
  return readers;
}

/** Readers attached to terminals until they are closed. */
export interface AttachedReaders {
  /** Returns the entry modes that the readers of a terminal offer now. */
  ways(poiId: string): ReaderEntryMode[];
  close(): Promise<void>;
}

/**
 * Attaches readers to the terminals of an emulator. A reader that is not connected yet is attached as soon as it is
 * connected. Until then, the terminal's screen and the journal say what is wrong. This function does not wait for
 * readers.
 */
export async function attachReaders(
  wanted: readonly WantedReader[],
  emulator: Emulator,
  { readers }: Pick<Config, 'readers'>,
  fingerprintSecret: string,
  runtime: Runtime,
): Promise<AttachedReaders> {
  const { rules, countryCode } = readers;
  const attached: { reader: AttachedReader; poiId: string; terminal: EmulatedTerminal }[] = [];
  const release: (() => void)[] = [];
  const pcscOwners = new Map();
  const close = async () => {
    for (const off of release) off();
    await Promise.all(attached.map(({ reader }) => reader.close()));
  };
  const ways = (poiId: string) =>
    attached.filter((each) => each.poiId === poiId).flatMap((each) => each.reader.status.entries);
  try {
    for (const { poiId, spec } of wanted) {
      const terminal = emulator.terminal(poiId);
      if (!terminal) throw new StartError(`the terminal ${poiId} of the reader does not exist`);
      const fingerprintKey = Buffer.from(fingerprintSecret);
      const options = { spec, terminal: poiId, fingerprintKey, countryCode, pcscOwners };
      const reader = await attachReader(options, runtime);
      attached.push({ reader, poiId, terminal });
    }
    for (const { reader, poiId, terminal } of attached)
      release.push(connectReader(reader, terminal, rules, () => ways(poiId)));
  } catch (error) {
    await close();
    throw error;
  }
  return { ways, close };
}

function parseReaderArgument(text: string, poiIds: readonly string[]): { poiId: string; text: string } {
  // The argument may be POI_ID=READER, or READER alone. A READER may contain `=` itself, as `pn532:COM3?baud=9600` does.
  // A poi_id contains no colon, so a text before `=` that contains a colon is no poi_id.
  const [, poiId = poiIds[0], spec = text] = /^([^:=]+)=(.+)$/.exec(text) ?? [];
  if (poiId !== undefined && poiIds.includes(poiId)) return { poiId, text: spec };
  if (poiIds.length === 0) throw new StartError(`--reader ${text}: there is no terminal for this reader`);
  throw new StartError(
    `--reader ${text}: there is no terminal ${poiId} ; known terminals: ${poiIds.join(', ')}`,
  );
}

function configuredReaders({ accounts }: Config): { poiId: string; text: string }[] {
  const terminals = (accounts ?? []).flatMap(({ stores }) => stores.flatMap((store) => store.terminals));
  return terminals.flatMap(({ poiId, reader = [] }) => [reader].flat().map((text) => ({ poiId, text })));
}

function parseSpec(text: string): ReaderSpec {
  try {
    return parseReaderSpec(text);
  } catch (error) {
    if (error instanceof ReaderSpecError) throw new StartError(`--reader ${error.message}`);
    throw error;
  }
}
