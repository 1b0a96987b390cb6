import { type Clock, delay } from '../../shared/clock.ts';
import { type ByteTransport, type LineSettings, ReaderOpenError } from './reader-driver.ts';
import { describeReaderAddress, type ReaderAddress } from './reader-spec.ts';
import { openSerial } from './transport/serial-transport.ts';
import { openTcpTransport } from './transport/tcp-transport.ts';

/**
 * A function that opens the line at an address. Tests replace it by a function that opens a line in memory.
 *
 * @throws ReaderOpenError
 */
export type OpenLine = (
  address: ReaderAddress,
  settings: LineSettings,
  options: { clock: Clock; signal: AbortSignal },
) => Promise<ByteTransport>;

const connectTimeoutMs = 5_000;

/** Opens a serial port, or a connection to a serial server. The server has to accept the connection within 5 s. */
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
      `${describeReaderAddress(address)} does not answer: is the serial server running?`,
    );
  } finally {
    connected.abort();
  }
};
