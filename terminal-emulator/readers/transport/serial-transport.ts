import { existsSync, realpathSync } from 'node:fs';
import type { SerialPort } from 'serialport';
import type { Clock, TimerHandle } from '../../../shared/clock.ts';
import {
  type ByteTransport,
  type LineSettings,
  ReaderOpenError,
  TransportClosedError,
  type Unsubscribe,
} from '../reader-driver.ts';

/**
 * The time between two checks of an open port's path, in ms. The checks are needed because sometimes no event reports
 * that a port has gone away. This happens if the port goes away while bytes arrive.
 */
export const serialPathCheckIntervalMs = 500;

/**
 * Opens a serial port.
 *
 * If a port goes away while bytes arrive, serialport does not notice this in about one case of twenty, and then uses
 * a whole processor core (bench/notes/serialport.md). So pinpad checks the path, and closes the port when the path is
 * gone. On macOS some adapters give data only on /dev/cu.*. So if /dev/tty.* cannot be opened, pinpad tries
 * /dev/cu.*.
 *
 * @throws ReaderOpenError NO_PORT, PERMISSION, BUSY or FAILED, with a message that says what to do
 */
export async function openSerial(
  path: string,
  settings: LineSettings,
  options: { clock: Clock; signal: AbortSignal },
): Promise<ByteTransport> {
  options.signal.throwIfAborted();
  const port = await openPort(path, settings).catch((error: Error) => {
    const callOut = path.replace(/^\/dev\/tty\./, '/dev/cu.');
    if (callOut === path || !existsSync(callOut)) throw openError(path, error);
    return openPort(callOut, settings).catch((second: Error) => {
      throw openError(callOut, second);
    });
  });
  const transport = new SerialTransport(port, options.clock);
  if (options.signal.aborted) {
    await transport.close();
    throw options.signal.reason;
  }
  return transport;
}

async function openPort(path: string, settings: LineSettings): Promise<SerialPort> {
  // The module is loaded only when a port is opened, because without a reader no native module is needed.
  const { SerialPort: Port } = await import('serialport');
  const port = new Port({ path, ...settings, autoOpen: false });
  return new Promise((resolve, reject) => port.open((error) => (error ? reject(error) : resolve(port))));
}

class SerialTransport implements ByteTransport {
  readonly name: string;
  readonly #port: SerialPort;
  readonly #clock: Clock;
  readonly #data = new Set<(bytes: Uint8Array) => void>();
  readonly #closed = new Set<(why: string) => void>();
  readonly #device: string | undefined;
  #why: string | undefined;
  #watch: TimerHandle | undefined;
  #closing: Promise<void> | undefined;

  constructor(port: SerialPort, clock: Clock) {
    this.name = port.path;
    this.#port = port;
    this.#clock = clock;
    this.#device = deviceOf(port.path);
    port.on('data', (bytes: Buffer) => {
      for (const listener of this.#data) listener(Uint8Array.from(bytes));
    });
    // After a write to a dead port, the events `error` and `close` both come, and `close` even comes twice.
    port.on('error', (error) => this.#end(error.message));
    port.on('end', () => this.#end('unplugged'));
    port.on('close', (error: Error | null) => this.#end(error ? 'unplugged' : 'closed'));
    this.#keepWatch();
  }

  write(bytes: Uint8Array): Promise<void> {
    if (this.#why !== undefined) return Promise.reject(new TransportClosedError(this.#why));
    return new Promise((resolve, reject) => {
      const off = this.onClosed((why) => reject(new TransportClosedError(why)));
      this.#port.write(Buffer.from(bytes), (error) => {
        off();
        if (!error) return resolve();
        this.#end(error.message);
        reject(new TransportClosedError(error.message));
      });
    });
  }

  onData(listener: (bytes: Uint8Array) => void): Unsubscribe {
    this.#data.add(listener);
    return () => this.#data.delete(listener);
  }

  onClosed(listener: (why: string) => void): Unsubscribe {
    if (this.#why !== undefined) listener(this.#why);
    else this.#closed.add(listener);
    return () => this.#closed.delete(listener);
  }

  /** Sets the control lines. Pseudo-terminals and some adapters have none; that is no failure. */
  setLines(lines: { dtr?: boolean; rts?: boolean }): Promise<void> {
    if (this.#why !== undefined) return Promise.resolve();
    return new Promise((resolve) => this.#port.set({ dtr: true, rts: true, ...lines }, () => resolve()));
  }

  close(): Promise<void> {
    this.#end('closed');
    return this.#closePort();
  }

  #keepWatch(): void {
    this.#watch = this.#clock.setTimeout(() => {
      if (this.#device !== undefined && deviceOf(this.name) === this.#device) this.#keepWatch();
      else this.#end('unplugged');
    }, serialPathCheckIntervalMs);
  }

  /** Resolves when the port is closed, so that it can be opened again. */
  #closePort(): Promise<void> {
    this.#closing ??= new Promise((resolve) => {
      if (this.#port.closing) this.#port.once('close', () => resolve());
      else if (this.#port.isOpen) this.#port.close(() => resolve());
      else resolve();
    });
    return this.#closing;
  }

  #end(why: string): void {
    if (this.#why !== undefined) return;
    this.#why = why;
    this.#clock.clearTimeout(this.#watch);
    const listeners = [...this.#closed];
    this.#closed.clear();
    for (const listener of listeners) listener(why);
    void this.#closePort();
  }
}

/**
 * Gives the path of the device, or undefined if there is no device. If `path` is a link, the device is the target of
 * the link. Windows' COM ports are no files, so their paths are not looked up.
 */
function deviceOf(path: string): string | undefined {
  if (process.platform === 'win32') return path;
  try {
    return realpathSync(path);
  } catch {
    return undefined; // the device was unplugged, perhaps just now
  }
}

/** Turns an error of the operating system into one line that says what to do. */
function openError(path: string, error: Error): ReaderOpenError {
  const { message } = error;
  if (/ENOENT|no such file|file not found/i.test(message))
    return new ReaderOpenError(
      'NO_PORT',
      `${path} does not exist: is the reader plugged in? "pinpad readers" lists the ports`,
    );
  if (/EACCES|permission denied|access denied/i.test(message))
    return new ReaderOpenError('PERMISSION', `${path}: permission denied. ${permissionRemedy()}`);
  if (/cannot lock port|EBUSY|resource busy|temporarily unavailable/i.test(message))
    return new ReaderOpenError(
      'BUSY',
      `${path} is in use by another program: close that program, or choose another port`,
    );
  if (/ENOTTY|inappropriate ioctl|not a (tty|serial)/i.test(message))
    return new ReaderOpenError('FAILED', `${path} is not a serial port`);
  return new ReaderOpenError('FAILED', `${path} cannot be opened: ${message}`);
}

function permissionRemedy(): string {
  if (process.platform !== 'linux')
    return 'Give your user access to the port, or close the program that holds it';
  return 'Serial ports belong to the group dialout: run "sudo usermod -aG dialout $USER" and log in again';
}
