import type { Runtime } from '../../shared/runtime.ts';
import { createDriver } from './create-driver.ts';
import type { EmvReadContext } from './emv/read-card.ts';
import { errorText } from './error-text.ts';
import { type OpenLine, openLine } from './open-line.ts';
import { findSmartcardPackage } from './pcsc/find-smartcard-package.ts';
import { PcscDriver } from './pcsc/pcsc-driver.ts';
import { PcscProcess } from './pcsc/pcsc-process.ts';
import { PcscReader, releaseSlots, type SlotOwner, type SlotOwners } from './pcsc/pcsc-reader.ts';
import { findAutoReader, makeSerialServerBusyError } from './probe.ts';
import {
  type ArmRequest,
  type ByteTransport,
  type ReaderDriver,
  type ReaderEntryMode,
  type ReaderEvent,
  ReaderOpenError,
  type Unsubscribe,
} from './reader-driver.ts';
import { lineSettingsOf, silentPortDriver } from './reader-drivers.ts';
import { describeReaderAddress, describeReaderSpec, type ReaderSpec } from './reader-spec.ts';
import { ReconnectingReader } from './reconnecting-reader.ts';
import type { PortSources } from './transport/list-ports.ts';

export interface AttachedReaderOptions {
  readonly spec: ReaderSpec;
  /** The poi_id of the terminal that has the reader, for the journal. */
  readonly terminal?: string;
  readonly fingerprintKey: Uint8Array;
  /** The terminal's country as an ISO 3166 number. The default is 840. */
  readonly countryCode?: string;
  readonly openLine?: OpenLine;
  readonly portSources?: PortSources;
  /** Says which terminal in this process has which PC/SC reader. */
  readonly pcscOwners?: SlotOwners;
}

/** The state of a reader, for a screen. */
interface ReaderStatus {
  readonly state: 'connecting' | 'ready' | 'waiting' | 'closed';
  /**
   * One line for people, such as `PN532 firmware 1.6 on /dev/ttyUSB0`, `unplugged, waiting for /dev/ttyUSB0`, or advice
   * on what to do.
   */
  readonly line: string;
  /** The entry modes that the reader offers now; empty as long as the reader is not ready. */
  readonly entries: readonly ReaderEntryMode[];
}

/**
 * A reader that belongs to a terminal. A person may plug and unplug the reader at any time, even while it is armed
 * (watches for cards). After the reader is unplugged, the terminal searches until it finds the reader again. It then
 * opens the reader and, if the reader was armed before, arms it again.
 */
export class AttachedReader {
  readonly name: string;
  readonly #options: AttachedReaderOptions;
  readonly #runtime: Pick<Runtime, 'clock' | 'random' | 'journal'>;
  readonly #emv: EmvReadContext;
  readonly #reader: ReconnectingReader<ByteTransport | PcscReader>;
  readonly #onStatus = new Set<(status: ReaderStatus) => void>();
  #status: ReaderStatus;
  #armed: AbortController | undefined;
  /** The driver for the line that was opened last. */
  #driverChoice = silentPortDriver;
  #lineName: string;
  #wasConnected = false;
  #readyLine = '';
  /**
   * The process that makes PC/SC calls. If no reader is found, pinpad keeps this process running, because each
   * further search for the reader makes PC/SC calls.
   */
  #pcsc: PcscProcess | undefined;
  readonly #owner: SlotOwner;

  constructor(options: AttachedReaderOptions, runtime: Pick<Runtime, 'clock' | 'random' | 'journal'>) {
    const { spec, fingerprintKey, countryCode } = options;
    this.name = describeReaderSpec(spec);
    this.#options = options;
    this.#owner = { terminal: options.terminal ?? 'another terminal' };
    this.#runtime = runtime;
    this.#emv = {
      clock: runtime.clock,
      random: runtime.random,
      fingerprintKey,
      ...(countryCode ? { countryCode } : {}),
    };
    this.#lineName = spec.kind === 'named' ? describeReaderAddress(spec.address) : 'a reader';
    this.#status = { state: 'connecting', line: `looking for ${this.#lineName}`, entries: [] };
    this.#reader = new ReconnectingReader(
      {
        name: this.name,
        terminal: options.terminal,
        open: (signal) => this.#showFailure(this.#open(signal)),
        createDriver: (line) => this.#createDriver(line),
      },
      runtime,
    );
    this.#reader.listen((event) => this.#received(event));
  }

  get status(): ReaderStatus {
    return this.#status;
  }

  /**
   * Calls `listener` when the reader comes back or is lost. While the reader is armed, also calls `listener` for each
   * event of a card.
   */
  onEvent(listener: (event: ReaderEvent) => void): Unsubscribe {
    return this.#reader.listen(listener);
  }

  onStatus(listener: (status: ReaderStatus) => void): Unsubscribe {
    this.#onStatus.add(listener);
    return () => this.#onStatus.delete(listener);
  }

  /**
   * Makes the reader watch for cards until the reader is disarmed. A new request replaces the earlier request. To be
   * told that a card was taken out, leave the reader armed until the event card.removed comes.
   */
  arm(request: Omit<ArmRequest, 'signal'>): void {
    this.disarm();
    this.#armed = new AbortController();
    void this.#reader.arm({ ...request, signal: this.#armed.signal });
  }

  disarm(): void {
    this.#armed?.abort();
    this.#armed = undefined;
  }

  /** Releases the port permanently. */
  async close(): Promise<void> {
    this.disarm();
    await this.#reader.close();
    this.#pcsc?.end();
    if (this.#options.pcscOwners) releaseSlots(this.#options.pcscOwners, this.#owner);
    this.#setStatus({ state: 'closed', line: 'closed', entries: [] });
    this.#onStatus.clear();
  }

  async #open(signal: AbortSignal): Promise<ByteTransport | PcscReader> {
    const { spec, openLine: open = openLine } = this.#options;
    if (spec.kind === 'pcsc') return this.#openPcsc(spec.name, signal);
    const { clock } = this.#runtime;
    const chosen = spec.kind === 'named' ? spec : { ...(await this.#find(signal)), settings: {} };
    this.#driverChoice = chosen;
    this.#lineName = describeReaderAddress(chosen.address);
    return open(chosen.address, { ...lineSettingsOf(chosen), ...chosen.settings }, { clock, signal });
  }

  async #openPcsc(name: string | undefined, signal: AbortSignal): Promise<PcscReader> {
    const owner = this.#owner;
    const { pcscOwners: owners = new Map() } = this.#options;
    this.#pcsc ??= new PcscProcess(findSmartcardPackage(), this.#runtime.clock);
    const reader = await PcscReader.open(this.#pcsc, { name, owner, owners }, signal);
    this.#lineName = reader.name;
    return reader;
  }

  #find(signal: AbortSignal) {
    const { openLine: open, portSources } = this.#options;
    return findAutoReader({
      clock: this.#runtime.clock,
      signal,
      openLine: open,
      sources: portSources,
    });
  }

  #createDriver(line: ByteTransport | PcscReader): ReaderDriver {
    if (line instanceof PcscReader) return new PcscDriver(line, this.#emv);
    const driver = createDriver(line, this.#driverChoice, this.#emv);
    return {
      open: (signal) => this.#showFailure(this.#explainHangUp(driver.open(signal))),
      arm: (request, emit) => driver.arm(request, emit),
      close: () => driver.close(),
    };
  }

  async #explainHangUp<T>(greeting: Promise<T>): Promise<T> {
    try {
      return await greeting;
    } catch (error) {
      const hungUp = error instanceof ReaderOpenError && error.code === 'FAILED';
      throw hungUp && this.#lineName.startsWith('tcp:') ? makeSerialServerBusyError(this.#lineName) : error;
    }
  }

  /** Waits until an attempt to reach the reader has ended. If the attempt failed, the reader's status shows why. */
  async #showFailure<T>(attempt: Promise<T>): Promise<T> {
    try {
      return await attempt;
    } catch (error) {
      this.#failed(error);
      throw error;
    }
  }

  #failed(error: unknown): void {
    const gone = error instanceof ReaderOpenError && error.code === 'NO_PORT';
    const remedy = errorText(error);
    const line = gone && this.#wasConnected ? this.#unplugged() : remedy;
    this.#setStatus({ state: 'waiting', line, entries: [] });
  }

  #received(event: ReaderEvent): void {
    switch (event.type) {
      case 'reader.back': {
        this.#wasConnected = true;
        const { description, entries } = event.info;
        this.#readyLine = `${description} on ${this.#lineName}`;
        return this.#setStatus({ state: 'ready', line: this.#readyLine, entries });
      }
      case 'reader.lost': {
        const isKnown = this.#options.spec.kind === 'pcsc' && event.why !== 'unplugged';
        return this.#setStatus({
          state: 'waiting',
          line: isKnown ? event.why : this.#unplugged(),
          entries: [],
        });
      }
      case 'card.error':
        // The terminal's screen says only that a card could not be read. So the reader's status shows the reason until
        // this card is removed or another card comes.
        if (this.#status.state === 'ready' && event.why)
          this.#setStatus({ ...this.#status, line: event.why });
        return;
      case 'card.present':
      case 'card.read':
      case 'card.removed':
        if (this.#status.state === 'ready') this.#setStatus({ ...this.#status, line: this.#readyLine });
    }
  }

  #unplugged(): string {
    return `unplugged, waiting for ${this.#lineName}`;
  }

  #setStatus(status: ReaderStatus): void {
    if (this.#status.state === 'closed' || this.#status.line === status.line) return;
    this.#status = status;
    for (const listener of this.#onStatus) listener(status);
  }
}
