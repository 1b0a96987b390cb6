import { type Clock, delay } from '../../shared/clock.ts';
import { seededRandom } from '../../shared/random.ts';
import { createDriver } from './create-driver.ts';
import { type OpenLine, openLine } from './open-line.ts';
import { type ByteTransport, type ReaderInfo, ReaderOpenError } from './reader-driver.ts';
import { type DriverChoice, driverChoices, lineSettingsOf, silentDriver } from './reader-drivers.ts';
import { describeAddress, type ReaderAddress } from './reader-spec.ts';
import { stallTolerantClock } from './stall-tolerant-clock.ts';
import { type ListedPort, listPorts, type PortSources } from './transport/list-ports.ts';

/** The result of asking a port. */
export type ProbeResult =
  | ({ readonly found: 'reader'; readonly info: ReaderInfo } & DriverChoice)
  /** Nothing answered. It is a magnetic stripe reader, which never answers, or no reader at all. */
  | { readonly found: 'silence' }
  /** The port could not be opened. The message says the remedy. */
  | { readonly found: 'error'; readonly error: ReaderOpenError };

export interface ProbeOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  readonly openLine?: OpenLine;
}

/** The parts for reading cards, which a greeting does not use. */
const noCards = { random: seededRandom(0), fingerprintKey: new Uint8Array(16) };
/** The time for each driver's greeting. */
const greetingMs = 300;

/**
 * Asks a port which reader it has, in the language of each known reader. The device there receives bytes that it may not
 * understand, so only ports that a person asked about are probed.
 */
export async function probePort(address: ReaderAddress, options: ProbeOptions): Promise<ProbeResult> {
  const { openLine: open = openLine } = options;
  const line = address.kind === 'tcp' ? keptOpen(open) : { open, ended: false, close: async () => {} };
  try {
    for (const { driver, framing, answers } of driverChoices) {
      if (!answers) continue;
      const choice = framing === undefined ? { driver } : { driver, framing };
      const info = await greet(address, choice, { ...options, openLine: line.open });
      if (info) return { found: 'reader', ...choice, info };
    }
    if (line.ended) throw turnedAway(describeAddress(address));
    return { found: 'silence' };
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!(error instanceof ReaderOpenError)) throw error;
    return { found: 'error', error };
  } finally {
    await line.close();
  }
}

/**
 * Serial servers serve one client, release it only after a while, and do not allow changes of a line's settings. So all
 * questions share one connection, which is opened again only if the server ended it.
 */
function keptOpen(open: OpenLine): { open: OpenLine; readonly ended: boolean; close(): Promise<void> } {
  let kept: ByteTransport | undefined;
  let ended = false;
  return {
    get ended() {
      return ended;
    },
    async open(...how) {
      const line = kept ?? (await open(...how));
      if (kept !== line) {
        kept = line;
        line.onClosed(() => {
          kept = undefined;
          ended = true;
        });
      }
      return {
        name: line.name,
        write: (bytes) => line.write(bytes),
        onData: (listener) => line.onData(listener),
        onClosed: (listener) => line.onClosed(listener),
        close: async () => {},
      };
    },
    close: async () => kept?.close(),
  };
}

/** The error for a serial server that has a client already: it says so in words (ser2net), and hangs up. */
export function turnedAway(name: string): ReaderOpenError {
  return new ReaderOpenError('BUSY', `${name} hangs up: is another program connected to it?`);
}

/** Undefined if this driver's reader does not answer. @throws ReaderOpenError if the port cannot be opened. */
async function greet(
  address: ReaderAddress,
  choice: DriverChoice,
  { clock, signal = new AbortController().signal, openLine: open = openLine }: ProbeOptions,
): Promise<ReaderInfo | undefined> {
  const transport = await open(address, lineSettingsOf(choice), { clock, signal });
  const over = new AbortController();
  try {
    return await Promise.race([
      createDriver(transport, choice, { clock, ...noCards }).open(AbortSignal.any([signal, over.signal])),
      delay(stallTolerantClock(clock), greetingMs, over.signal).then(() => undefined),
    ]);
  } catch {
    signal.throwIfAborted();
    return undefined; // there is nothing, or another device
  } finally {
    over.abort();
    await closed(transport);
  }
}

function closed(transport: ByteTransport): Promise<void> {
  return transport.close().catch(() => {});
}

/** A port and, if it was probed, the result. */
export interface ListedReader extends ListedPort {
  readonly probe: ProbeResult | undefined;
}

/**
 * Lists the ports of this machine. With `probe` each is asked which reader it has. With `named`, only these are listed and
 * asked; they may be serial servers and pseudo-terminals, which no system lists.
 */
export async function listReaders(
  options: ProbeOptions & {
    readonly probe: boolean;
    readonly named?: readonly ReaderAddress[];
    readonly sources?: PortSources;
  },
): Promise<{ readers: ListedReader[]; warning: string | undefined }> {
  const { named = [] } = options;
  const { ports, warning } = await listPorts(options.sources);
  const wanted =
    named.length > 0
      ? named.map((address) => ({ address, port: listedAs(address, ports) }))
      : ports.map((port) => ({ address: { kind: 'serial', path: port.path } as const, port }));
  const readers: ListedReader[] = [];
  for (const { address, port } of wanted) {
    const probe = options.probe || named.length > 0 ? await probePort(address, options) : undefined;
    readers.push({ ...port, probe });
  }
  return { readers, warning: named.length > 0 ? undefined : warning };
}

function listedAs(address: ReaderAddress, ports: readonly ListedPort[]): ListedPort {
  const name = describeAddress(address);
  const known = ports.find(({ path, device }) => path === name || device === name);
  const description = address.kind === 'tcp' ? 'serial server' : 'serial port';
  return { device: name, description, usbId: undefined, serialNumber: undefined, ...known, path: name };
}

/**
 * Finds the reader that `auto` means: it is at the first port that answers. If none does and exactly one USB port keeps silent,
 * that port is taken for a magnetic stripe reader.
 *
 * @throws ReaderOpenError NO_PORT, which says what to do instead.
 */
export async function findReader(
  options: ProbeOptions & { readonly sources?: PortSources },
): Promise<DriverChoice & { address: ReaderAddress }> {
  const { ports, warning } = await listPorts(options.sources);
  const silent: ReaderAddress[] = [];
  let failure: ReaderOpenError | undefined;
  // Built-in ports (ttyS) are many and mostly have no device: they have to be named.
  const candidates = ports.filter((port) => port.usbId !== undefined || !/ttyS\d+$/.test(port.device));
  for (const { path } of candidates) {
    const address = { kind: 'serial', path } as const;
    const result = await probePort(address, options);
    if (result.found === 'reader') {
      const { driver, framing } = result;
      return { driver, framing, address };
    }
    if (result.found === 'silence') silent.push(address);
    else failure = result.error;
  }
  const [only] = silent;
  if (only && silent.length === 1) return { ...silentDriver, address: only };
  if (failure && silent.length === 0) throw failure;
  throw new ReaderOpenError('NO_PORT', nothingFound(candidates.length, warning));
}

function nothingFound(ports: number, warning: string | undefined): string {
  if (ports > 0) return `no reader answers on any of ${ports} ports: name it, e.g. --reader msr:/dev/ttyUSB0`;
  return warning ?? 'no serial port found: plug a reader in, or name it, e.g. --reader pn532:/dev/ttyUSB0';
}
