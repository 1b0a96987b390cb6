import { delay } from '../../../shared/clock.ts';
import { type EmvReadContext, readCard } from '../emv/read-card.ts';
import { errorText } from '../error-text.ts';
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
import { acsFraming } from './acs-framing.ts';
import { powerOffCard, powerOnCard } from './ccid-card.ts';
import { CcidLink } from './ccid-link.ts';
import { type CcidResponse, ccidCommandTypes, ccidErrors } from './ccid-message.ts';
import { gemPcFraming } from './gempc-framing.ts';

export type CcidFramingName = 'gempc' | 'acs';

const greetingTimeoutMs = 300;
const statusTimeoutMs = 1_000;
/**
 * The time between two checks of the slot, in ms. The driver also checks a reader that reports changes by itself,
 * because such a reader may have been unplugged.
 */
const pollMs = 500;
/**
 * The shortest time between two checks, in ms. It is needed because the contacts of the slot bounce: a reader can
 * report the same card many times, and each report leads to a check.
 */
const settleMs = 20;
/** After this many checks in a row without an answer, the reader counts as gone. */
const mostMisses = 3;

/** Drives a contact chip reader that speaks CCID on a serial line. */
export class CcidDriver implements ReaderDriver {
  readonly #transport: ByteTransport;
  readonly #emv: EmvReadContext;
  readonly #framing: CcidFramingName;
  readonly #link: CcidLink;
  /**
   * This controller aborts when the line ends, or when the reader reports that a card was put in or taken out. A new
   * controller then replaces it.
   */
  #changed = new AbortController();
  #removed = new AbortController();
  #lost: string | undefined;
  #powered = false;

  constructor(transport: ByteTransport, emv: EmvReadContext, framing: CcidFramingName = 'gempc') {
    this.#transport = transport;
    this.#emv = emv;
    this.#framing = framing;
    this.#link = new CcidLink(transport, framing === 'acs' ? acsFraming : gemPcFraming, emv.clock);
    this.#link.onCard((present) => {
      if (!present) this.#removed.abort(new CardError('REMOVED', 'the card was taken out'));
      this.#changed.abort();
    });
    this.#link.onClosed((why) => {
      this.#lost = why;
      this.#changed.abort();
    });
  }

  async open(signal: AbortSignal): Promise<ReaderInfo> {
    // Gemalto's readers take an active RTS line as a request to be quiet. So the driver switches RTS off, as libccid
    // does.
    if (this.#framing === 'gempc') await this.#transport.setLines?.({ dtr: true, rts: false });
    const description = await this.#greet(signal);
    return { driver: 'ccid', description, entries: ['ICC'] };
  }

  async arm(request: ArmRequest, emit: (event: ReaderEvent) => void): Promise<void> {
    const { signal } = request;
    if (!request.entries.includes('ICC') || signal.aborted) return;
    try {
      for (;;) {
        await this.#waitForCard(true, signal);
        emit({ type: 'card.present', entry: 'ICC' });
        await this.#readOne(request, emit);
        await this.#waitForCard(false, signal);
        emit({ type: 'card.removed', entry: 'ICC' });
        await delay(this.#emv.clock, settleMs, signal);
      }
    } catch (error) {
      if (signal.aborted) return this.#release();
      emit({ type: 'reader.lost', why: errorText(error) });
    }
  }

  async close(): Promise<void> {
    await this.#release();
    await this.#transport.close();
  }

  async #release(): Promise<void> {
    if (!this.#powered || this.#lost !== undefined) return;
    this.#powered = false;
    await powerOffCard(this.#link);
  }

  async #greet(signal: AbortSignal): Promise<string> {
    for (let attempt = 0; attempt < 3; attempt++) {
      try {
        return this.#framing === 'gempc' ? await this.#greetGemPc(signal) : await this.#greetAcs(signal);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (!(error instanceof CardError)) throw lineFailed(this.#transport.name, error);
      }
    }
    throw new ReaderOpenError(
      'NO_ANSWER',
      `no CCID reader answers on ${this.#transport.name}: check its power, its cable, and the name of the driver`,
    );
  }

  /**
   * Requests the name of the firmware with Escape 02, and asks the reader with Escape 01 01 01 to report cards at
   * once.
   */
  async #greetGemPc(signal: AbortSignal): Promise<string> {
    const firmware = await this.#escape([0x02], signal);
    if (firmware.outcome !== 'ok') throw this.#wrongDevice();
    await this.#escape([0x01, 0x01, 0x01], signal);
    return `CCID reader ${printable(firmware.data)}`;
  }

  async #greetAcs(signal: AbortSignal): Promise<string> {
    const slot = await this.#link.command(ccidCommandTypes.getSlotStatus, {
      timeoutMs: greetingTimeoutMs,
      signal,
    });
    if (slot.outcome === 'failed' && slot.error === ccidErrors.noSuchSlot)
      throw new ReaderOpenError(
        'WRONG_DEVICE',
        `${this.#transport.name} answers as an ACS reader, but has no slot for chips (an ACR122S has none)`,
      );
    const firmware = await this.#escape([0xe0, 0x00, 0x00, 0x18, 0x00], signal);
    return `CCID reader ${printable(firmware.data.slice(5)) || 'ACS'}`;
  }

  #escape(data: number[], signal: AbortSignal): Promise<CcidResponse> {
    return this.#link.command(ccidCommandTypes.escape, {
      data: Uint8Array.from(data),
      timeoutMs: greetingTimeoutMs,
      signal,
    });
  }

  #wrongDevice(): ReaderOpenError {
    return new ReaderOpenError(
      'WRONG_DEVICE',
      `${this.#transport.name} answers CCID commands, but not GemPC commands: try ?framing=acs`,
    );
  }

  async #readOne(request: ArmRequest, emit: (event: ReaderEvent) => void): Promise<void> {
    this.#removed = new AbortController();
    const signal = AbortSignal.any([request.signal, this.#removed.signal]);
    try {
      this.#powered = true;
      const channel = await powerOnCard(this.#link, signal);
      const read = await readCard(channel, { ...request, signal }, this.#emv);
      emit({ type: 'card.read', read });
    } catch (error) {
      if (request.signal.aborted || !(error instanceof CardError)) throw error;
      emit({ type: 'card.error', entry: 'ICC', code: await this.#causeOf(error, request.signal) });
    }
    await this.#release();
  }

  /**
   * Finds the cause of a failure. If a card is pulled out, its contacts open before the reader reports the removal. The
   * failure then looks like a bad chip. So the driver asks the reader whether the card is still there.
   */
  async #causeOf({ code }: CardError, signal: AbortSignal): Promise<CardErrorCode> {
    if (code === 'REMOVED' || (await this.#cardThere(signal)) !== false) return code;
    return 'REMOVED';
  }

  /**
   * Resolves once a card is in the slot. If `present` is false, resolves once the slot is empty.
   *
   * @throws TransportClosedError; the signal's reason
   */
  async #waitForCard(present: boolean, signal: AbortSignal): Promise<void> {
    for (let misses = 0; ; ) {
      signal.throwIfAborted();
      this.#changed = new AbortController();
      const found = await this.#cardThere(signal);
      if (found === undefined && ++misses >= mostMisses) throw await this.#closeSilentLine();
      if (found !== undefined) misses = 0;
      if (found === present) return;
      await delay(this.#emv.clock, settleMs, signal);
      const sooner = AbortSignal.any([signal, this.#changed.signal]);
      await delay(this.#emv.clock, pollMs - settleMs, sooner).catch(() => {});
    }
  }

  /** Whether a card is there; undefined if the reader did not answer. */
  async #cardThere(signal: AbortSignal): Promise<boolean | undefined> {
    try {
      const status = await this.#link.command(ccidCommandTypes.getSlotStatus, {
        timeoutMs: statusTimeoutMs,
        signal,
      });
      return status.card !== 'absent';
    } catch (error) {
      if (error instanceof CardError) return undefined;
      throw error;
    }
  }

  async #closeSilentLine(): Promise<TransportClosedError> {
    await this.#transport.close();
    return new TransportClosedError('the reader does not answer any more');
  }
}

function lineFailed(name: string, error: unknown): Error {
  if (error instanceof ReaderOpenError) return error;
  const why = errorText(error);
  return new ReaderOpenError('FAILED', `${name} was lost at the first command to the reader: ${why}`);
}

function printable(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('latin1')
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, 60);
}
