import { type Clock, delay } from '../../shared/clock.ts';
import { acsLine, createCcidDriver, gemPcLine } from './ccid/ccid-driver.ts';
import type { EmvReader } from './emv/read-card.ts';
import { createMsrDriver, msrLineSettings } from './msr/msr-driver.ts';
import { createPn532Driver, pn532LineSettings } from './pn532/pn532-driver.ts';
import {
  type ByteTransport,
  type LineSettings,
  type ReaderDriver,
  ReaderOpenError,
} from './reader-driver.ts';
import {
  describeAddress,
  type ReaderAddress,
  type ReaderDriverName,
  readerDriverNames,
} from './reader-spec.ts';
import { openSerial } from './transport/serial-transport.ts';
import { openTcpTransport } from './transport/tcp-transport.ts';
import { createVivotech2Driver, vivoLine } from './vivotech2/vivotech2-driver.ts';

/** The choice of a reader's driver. */
export interface DriverChoice {
  readonly driver: ReaderDriverName;
  readonly framing?: 'gempc' | 'acs';
}

interface KnownDriver {
  /** The settings of its line, unless its reader was configured otherwise. */
  lineSettings(framing: DriverChoice['framing']): LineSettings;
  create(transport: ByteTransport, emv: EmvReader, framing: DriverChoice['framing']): ReaderDriver;
  /** The greetings that find its readers on a port; none if they do not answer. */
  readonly greetings: readonly Omit<DriverChoice, 'driver'>[];
}

/** All drivers. Ports are asked in this order. */
const drivers: Record<ReaderDriverName, KnownDriver> = {
  pn532: { lineSettings: () => pn532LineSettings, create: createPn532Driver, greetings: [{}] },
  ccid: {
    lineSettings: (framing) => (framing === 'acs' ? acsLine : gemPcLine),
    create: (transport, emv, framing) => createCcidDriver(transport, emv, framing ? { framing } : {}),
    greetings: [{}, { framing: 'acs' }],
  },
  msr: { lineSettings: () => msrLineSettings, create: createMsrDriver, greetings: [] },
  vivotech2: { lineSettings: () => vivoLine, create: createVivotech2Driver, greetings: [{}] },
};

/** The greetings for a port, one after the other, each with its own line settings. */
export const askable: readonly DriverChoice[] = readerDriverNames.flatMap((driver) =>
  drivers[driver].greetings.map((greeting) => ({ driver, ...greeting })),
);

export function lineSettingsOf({ driver, framing }: DriverChoice): LineSettings {
  return drivers[driver].lineSettings(framing);
}

export function createDriver(
  transport: ByteTransport,
  { driver, framing }: DriverChoice,
  emv: EmvReader,
): ReaderDriver {
  return drivers[driver].create(transport, emv, framing);
}

/** Opens the line at an address. Tests replace it by a line in memory. @throws ReaderOpenError */
export type OpenLine = (
  address: ReaderAddress,
  settings: LineSettings,
  options: { clock: Clock; signal: AbortSignal },
) => Promise<ByteTransport>;

const connectTimeoutMs = 5_000;

/** Opens a serial port, or a connection to a serial server, which has to accept it within 5 s. */
export const openLine: OpenLine = async (address, settings, { clock, signal }) => {
  if (address.kind === 'serial') return openSerial(address.path, settings, { clock, signal });
  const patience = new AbortController();
  const connected = new AbortController();
  delay(clock, connectTimeoutMs, connected.signal).then(
    () => patience.abort(),
    () => {},
  );
  try {
    return await openTcpTransport(address.host, address.port, AbortSignal.any([signal, patience.signal]));
  } catch (error) {
    if (!patience.signal.aborted) throw error;
    throw new ReaderOpenError(
      'NO_ANSWER',
      `${describeAddress(address)} does not answer: is the serial server running?`,
    );
  } finally {
    connected.abort();
  }
};
