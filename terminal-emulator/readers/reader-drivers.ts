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
import { describeAddress, type ReaderAddress, type ReaderDriverName } from './reader-spec.ts';
import { openSerial } from './transport/serial-transport.ts';
import { openTcpTransport } from './transport/tcp-transport.ts';
import { createVivotech2Driver, vivoLine } from './vivotech2/vivotech2-driver.ts';

/** What makes a reader's driver differ from another's. */
export interface DriverChoice {
  readonly driver: ReaderDriverName;
  readonly framing?: 'gempc' | 'acs';
}

/** How the line has to be set for a driver, unless its reader was set otherwise. */
export function lineSettingsOf({ driver, framing }: DriverChoice): LineSettings {
  if (driver === 'ccid') return framing === 'acs' ? acsLine : gemPcLine;
  return { pn532: pn532LineSettings, msr: msrLineSettings, vivotech2: vivoLine }[driver];
}

export function createDriver(
  transport: ByteTransport,
  { driver, framing }: DriverChoice,
  emv: EmvReader,
): ReaderDriver {
  switch (driver) {
    case 'pn532':
      return createPn532Driver(transport, emv);
    case 'ccid':
      return createCcidDriver(transport, emv, framing ? { framing } : {});
    case 'msr':
      return createMsrDriver(transport, emv);
    case 'vivotech2':
      return createVivotech2Driver(transport, emv);
  }
}

/** Opens the line at an address; what tests replace by a line in memory. @throws ReaderOpenError */
export type OpenLine = (
  address: ReaderAddress,
  settings: LineSettings,
  options: { clock: Clock; signal: AbortSignal },
) => Promise<ByteTransport>;

const connectTimeoutMs = 5_000;

/** Opens a serial port, or a connection to a serial server, which has to take it within 5 s. */
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
