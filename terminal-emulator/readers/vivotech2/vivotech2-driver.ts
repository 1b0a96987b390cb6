import { code } from 'currency-codes';
import { type Clock, delay, type TimerHandle } from '../../../shared/clock.ts';
import { readAccountFromTlvs } from '../emv/account-from-objects.ts';
import type { EmvReadContext } from '../emv/read-card.ts';
import { encodeTlv, parseTlv, type Tlv, TlvError } from '../emv/tlv.ts';
import { errorText } from '../error-text.ts';
import { concatBytes, fromHex } from '../hex.ts';
import {
  type ArmRequest,
  type ByteTransport,
  CardError,
  type CardErrorCode,
  type ReaderDriver,
  type ReaderEvent,
  type ReaderInfo,
  ReaderOpenError,
  TransportClosedError,
} from '../reader-driver.ts';
import { makeStallTolerantClock } from '../stall-tolerant-clock.ts';
import { encodeVivoCommand, VivoDecoder, type VivoResponse } from './frame.ts';

const commands = { ping: [0x18, 0x01], activate: [0x02, 0x01], cancel: [0x05, 0x01] } as const;
type Command = (typeof commands)[keyof typeof commands];

/**
 * If the answer to an activation has one of these statuses, the answer contains card data. Any other status says why
 * there is no data.
 */
const withCard = new Set([0x00, 0x23]);
const timedOut = 0x08;
const collision = 0x30;

const greetingTimeoutMs = 300;
/**
 * How long the reader looks for a card by itself. After that it answers "timed out", and the driver activates it again.
 */
const activationSeconds = 30;
/**
 * The pause, in ms, between reading a card and the next activation. Without this pause, a card that stays at the reader
 * would be read again and again.
 */
const pauseMs = 1_500;

/** Thrown if the line works, but the reader does not answer. */
class Silence extends Error {}

interface Pending {
  readonly command: number;
  readonly timer: TimerHandle;
  resolve(response: VivoResponse): void;
  reject(error: unknown): void;
}

/**
 * Drives ID TECH readers that speak ViVOtech2 (Vendi, Kiosk III, NEO 2).
 *
 * EXPERIMENTAL: the driver was written from the manuals. It was tried only with our own tests, never with such a
 * reader. The reader carries out the EMV transaction by itself and hands over the card's data.
 */
export class Vivotech2Driver implements ReaderDriver {
  readonly #transport: ByteTransport;
  readonly #emv: EmvReadContext;
  readonly #clock: Clock;
  readonly #decoder = new VivoDecoder();
  #pending: Pending | undefined;

  constructor(transport: ByteTransport, emv: EmvReadContext) {
    this.#transport = transport;
    this.#emv = emv;
    this.#clock = makeStallTolerantClock(emv.clock);
    transport.onData((bytes) => {
      for (const response of this.#decoder.feed(bytes)) this.#answered(response);
    });
    transport.onClosed((why) => this.#settle((pending) => pending.reject(new TransportClosedError(why))));
  }

  async open(signal: AbortSignal): Promise<ReaderInfo> {
    for (let attempt = 0; attempt < 2; attempt++) {
      try {
        const { status } = await this.#command(commands.ping, new Uint8Array(), greetingTimeoutMs, signal);
        if (status !== 0x00) throw wrongDevice(this.#transport.name);
        return {
          driver: 'vivotech2',
          description: 'ViVOtech2 reader (experimental)',
          entries: ['Contactless'],
        };
      } catch (error) {
        if (signal.aborted || error instanceof ReaderOpenError) throw error;
        if (error instanceof TransportClosedError) throw new ReaderOpenError('FAILED', error.message);
      }
    }
    throw new ReaderOpenError(
      'NO_ANSWER',
      `no ViVOtech2 reader answers on ${this.#transport.name}: check its power and cable`,
    );
  }

  async arm(request: ArmRequest, emit: (event: ReaderEvent) => void): Promise<void> {
    const { signal, entries } = request;
    if (!entries.includes('Contactless')) return;
    try {
      while (!signal.aborted) await this.#activate(request, emit);
    } catch (error) {
      if (signal.aborted) return this.#cancel();
      emit({ type: 'reader.lost', why: errorText(error) });
      await this.#transport.close();
    }
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  async #activate(request: ArmRequest, emit: (event: ReaderEvent) => void): Promise<void> {
    const response = await this.#command(
      commands.activate,
      concatBytes(Uint8Array.of(activationSeconds), transactionObjects(request)),
      (activationSeconds + 5) * 1_000,
      request.signal,
    );
    if (response.status === timedOut) return;
    emit({ type: 'card.present', entry: 'Contactless' });
    emit(this.#event(response));
    await delay(this.#clock, pauseMs, request.signal);
    emit({ type: 'card.removed', entry: 'Contactless' });
  }

  #event(response: VivoResponse): ReaderEvent {
    try {
      if (!withCard.has(response.status))
        return failed(response.status === collision ? 'COLLISION' : 'BAD_READ');
      const { fingerprintKey } = this.#emv;
      const account = readAccountFromTlvs(objectsOf(response.data), { aid: undefined, fingerprintKey });
      const read = { ...account, entry: 'Contactless', applications: [], selectedAid: undefined } as const;
      return { type: 'card.read', read };
    } catch (error) {
      if (error instanceof CardError) return failed(error.code);
      if (error instanceof TlvError) return failed('BAD_READ');
      throw error;
    }
  }

  /** Tells the reader to stop looking for a card, and ignores whether it answers. */
  async #cancel(): Promise<void> {
    await this.#command(commands.cancel, new Uint8Array(), greetingTimeoutMs).catch(() => {});
  }

  #command(
    command: Command,
    data: Uint8Array,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<VivoResponse> {
    signal?.throwIfAborted();
    const [first, second] = command;
    const onAbort = () => this.#settle((pending) => pending.reject(signal?.reason));
    return new Promise<VivoResponse>((resolve, reject) => {
      const timer = this.#clock.setTimeout(() => {
        this.#decoder.reset();
        this.#settle((pending) => pending.reject(new Silence('the reader does not answer any more')));
      }, timeoutMs);
      this.#pending = { command: first, timer, resolve, reject };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#transport
        .write(encodeVivoCommand(first, second, data))
        .catch((error) => this.#settle((pending) => pending.reject(error)));
    }).finally(() => signal?.removeEventListener('abort', onAbort));
  }

  #answered(response: VivoResponse): void {
    if (response.command === this.#pending?.command) this.#settle((pending) => pending.resolve(response));
  }

  #settle(conclude: (pending: Pending) => void): void {
    const pending = this.#pending;
    if (!pending) return;
    this.#pending = undefined;
    this.#clock.clearTimeout(pending.timer);
    conclude(pending);
  }
}

function failed(code: CardErrorCode): ReaderEvent {
  return { type: 'card.error', entry: 'Contactless', code };
}

function wrongDevice(name: string): ReaderOpenError {
  return new ReaderOpenError(
    'WRONG_DEVICE',
    `${name} answers, but refuses a ViVOtech2 ping: choose another driver`,
  );
}

/** Gives the amount, the type of transaction and the currency, in the order of the manuals. */
function transactionObjects({ amount, currency }: ArmRequest): Uint8Array {
  const number = code(currency)?.number ?? '999';
  return concatBytes(
    encodeTlv(0x9f02, fromHex(String(amount).padStart(12, '0').slice(-12))),
    encodeTlv(0x9c, Uint8Array.of(0x00)),
    encodeTlv(0x5f2a, fromHex(number.padStart(4, '0'))),
  );
}

/**
 * Finds the data objects in the answer to an activation. The answer begins with the length of track 1, track 1, the
 * length of track 2, track 2, and a byte that says whether a clearing record (E1) follows. If no valid objects follow
 * this beginning, the whole answer is parsed from its start.
 */
function objectsOf(data: Uint8Array): readonly Tlv[] {
  const afterTrack1 = 1 + (data[0] ?? 0);
  const afterTrack2 = afterTrack1 + 1 + (data[afterTrack1] ?? 0);
  const rest = afterTrack2 < data.length ? data.subarray(afterTrack2 + 1) : data;
  try {
    return parseTlv(rest, { ffIsTag: true });
  } catch (error) {
    if (!(error instanceof TlvError)) throw error;
    return parseTlv(data, { ffIsTag: true });
  }
}
