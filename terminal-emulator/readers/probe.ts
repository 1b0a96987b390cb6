import { type Clock, delay } from '../../shared/clock.ts';
import { makeSeededRandom } from '../../shared/random.ts';
import { createDriver } from './create-driver.ts';
import { type OpenLine, openLine } from './open-line.ts';
import { type ByteTransport, type ReaderInfo, ReaderOpenError } from './reader-driver.ts';
import { type DriverChoice, driverChoices, lineSettingsOf, silentPortDriver } from './reader-drivers.ts';
import { describeReaderAddress, type ReaderAddress } from './reader-spec.ts';
import { makeStallTolerantClock } from './stall-tolerant-clock.ts';
import { type ListedPort, listPorts, type PortSources } from './transport/list-ports.ts';

/** The result of a probe, which asks a port which reader it has. */
type ProbeResult =
  | ({ readonly found: 'reader'; readonly info: ReaderInfo } & DriverChoice)
  /** Nothing answered. The port has a magnetic stripe reader, which never answers, or no reader at all. */
  | { readonly found: 'silence' }
  /** The port could not be opened. The message of the error says what to do. */
  | { readonly found: 'error'; readonly error: ReaderOpenError };

interface ProbeOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  readonly openLine?: OpenLine;
}

/** A driver needs these objects to read cards. A greeting does not use them, so their values do not matter here. */
const unusedForGreeting = { random: makeSeededRandom(0), fingerprintKey: new Uint8Array(16) };
/** The time limit for the answer to each driver's greeting, in ms. */
const greetingMs = 300;

/**
 * Asks a port which reader it has, with the greeting of each known driver. The device at the port receives bytes that
 * it may not understand. So a port is asked only if a person named the port or started a search.
 */
export async function probePort(address: ReaderAddress, options: ProbeOptions): Promise<ProbeResult> {
  const { openLine: open = openLine } = options;
  const line = address.kind === 'tcp' ? oneConnection(open) : { open, ended: false, close: async () => {} };
  try {
    for (const { driver, framing, answers } of driverChoices) {
      if (!answers) continue;
      const choice = framing === undefined ? { driver } : { driver, framing };
      const info = await greet(address, choice, { ...options, openLine: line.open });
      if (info) return { found: 'reader', ...choice, info };
    }
    if (line.ended) throw makeSerialServerBusyError(describeReaderAddress(address));
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
 * Keeps one connection to a serial server for all questions, and opens a new one only if the server has ended it. Such
 * a server serves only one client at a time, releases a client only some time after it has left, and lets no client
 * change the line's settings.
 */
function oneConnection(open: OpenLine): { open: OpenLine; readonly ended: boolean; close(): Promise<void> } {
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

/**
 * The error for a serial server that already has a client. Such a server sends a message that says this (ser2net does
 * so), and hangs up.
 */
export function makeSerialServerBusyError(name: string): ReaderOpenError {
  return new ReaderOpenError('BUSY', `${name} hangs up: is another program connected to it?`);
}

/**
 * Greets a reader with one driver; undefined if no reader of this driver answers.
 * @throws ReaderOpenError if the port cannot be opened
 */
async function greet(
  address: ReaderAddress,
  choice: DriverChoice,
  { clock, signal = new AbortController().signal, openLine: open = openLine }: ProbeOptions,
): Promise<ReaderInfo | undefined> {
  const transport = await open(address, lineSettingsOf(choice), { clock, signal });
  const over = new AbortController();
  try {
    return await Promise.race([
      createDriver(transport, choice, { clock, ...unusedForGreeting }).open(
        AbortSignal.any([signal, over.signal]),
      ),
      delay(makeStallTolerantClock(clock), greetingMs, over.signal).then(() => undefined),
    ]);
  } catch {
    signal.throwIfAborted();
    return undefined; // the port is empty, or has another device
  } finally {
    over.abort();
    await transport.close().catch(() => {});
  }
}

/** A port, and what a probe found there. `probe` is undefined if the port was not probed. */
export interface ListedReaderPort extends ListedPort {
  readonly probe: ProbeResult | undefined;
}

/**
 * Lists the ports of this machine. With `probe`, each port is asked which reader it has. With `named`, only the named
 * ports are listed and asked. A named port can be a serial server or a pseudo-terminal, although no system lists
 * these.
 */
export async function listReaderPorts(
  options: ProbeOptions & {
    readonly probe: boolean;
    readonly named?: readonly ReaderAddress[];
    readonly sources?: PortSources;
  },
): Promise<{ readers: ListedReaderPort[]; warning: string | undefined }> {
  const { named = [] } = options;
  const { ports, warning } = await listPorts(options.sources);
  const wanted =
    named.length > 0
      ? named.map((address) => ({ address, port: portAt(address, ports) }))
      : ports.map((port) => ({ address: { kind: 'serial', path: port.path } as const, port }));
  const readers: ListedReaderPort[] = [];
  for (const { address, port } of wanted) {
    const probe = options.probe || named.length > 0 ? await probePort(address, options) : undefined;
    readers.push({ ...port, probe });
  }
  return { readers, warning: named.length > 0 ? undefined : warning };
}

function portAt(address: ReaderAddress, ports: readonly ListedPort[]): ListedPort {
  const name = describeReaderAddress(address);
  const known = ports.find(({ path, device }) => path === name || device === name);
  const description = address.kind === 'tcp' ? 'serial server' : 'serial port';
  return { device: name, description, usbId: undefined, serialNumber: undefined, ...known, path: name };
}

/**
 * Finds the reader for the name `auto`: the reader at the first port that answers. If no port answers and exactly one
 * USB port is silent, this port is assumed to have a magnetic stripe reader.
 *
 * @throws ReaderOpenError NO_PORT with a message that says what to do instead
 */
export async function findAutoReader(
  options: ProbeOptions & { readonly sources?: PortSources },
): Promise<DriverChoice & { address: ReaderAddress }> {
  const { ports, warning } = await listPorts(options.sources);
  const silent: ReaderAddress[] = [];
  let failure: ReaderOpenError | undefined;
  // Built-in ports (ttyS) are left out unless a person names one: there are many, and usually nothing is connected to
  // them.
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
  if (only && silent.length === 1) return { ...silentPortDriver, address: only };
  if (failure && silent.length === 0) throw failure;
  throw new ReaderOpenError('NO_PORT', nothingFound(candidates.length, warning));
}

function nothingFound(ports: number, warning: string | undefined): string {
  if (ports > 0)
    return `no reader answers on ${ports === 1 ? 'the only port' : `any of ${ports} ports`}: name the reader, e.g. --reader msr:/dev/ttyUSB0`;
  return warning ?? 'no serial port found: plug a reader in, or name it, e.g. --reader pn532:/dev/ttyUSB0';
}
