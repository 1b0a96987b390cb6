import { type Clock, delay } from '../../../shared/clock.ts';
import { completeResponse } from '../emv/complete-response.ts';
import { type ApduChannel, CardError, TransportClosed } from '../reader-driver.ts';
import { stallTolerantClock } from '../stall-tolerant-clock.ts';
import type { PcscCard, Smartcard } from './smartcard.ts';

/** The commands and answers of a card that the PC/SC service is connected to. */
export class PcscChannel implements ApduChannel {
  readonly atr: Uint8Array;
  readonly contactless: boolean;
  readonly #card: PcscCard;
  readonly #smartcard: Smartcard;
  readonly #clock: Clock;
  /** The service's answer to the last command, which arrives even if nothing waits for it any more. */
  #answering: Promise<unknown> = Promise.resolve();

  constructor(
    card: PcscCard,
    { atr, contactless }: { atr: Uint8Array; contactless: boolean },
    { smartcard, clock }: { smartcard: Smartcard; clock: Clock },
  ) {
    this.atr = atr;
    this.contactless = contactless;
    this.#card = card;
    this.#smartcard = smartcard;
    this.#clock = stallTolerantClock(clock);
  }

  transmit(apdu: Uint8Array, options: { timeoutMs: number; signal: AbortSignal }): Promise<Uint8Array> {
    const isT0 = this.#card.protocol === this.#smartcard.SCARD_PROTOCOL_T0;
    return completeResponse((command) => this.#exchange(isT0 ? withoutLe(command) : command, options), apdu);
  }

  /** Takes the power from the card, once it has answered: the service blocks earlier calls. */
  powerOff(): void {
    void this.#answering.finally(() => {
      try {
        this.#card.disconnect(this.#smartcard.SCARD_UNPOWER_CARD);
      } catch {
        // The card or its reader is gone already.
      }
    });
  }

  async #exchange(
    apdu: Uint8Array,
    options: { timeoutMs: number; signal: AbortSignal },
  ): Promise<Uint8Array> {
    const answered = new AbortController();
    const over = AbortSignal.any([options.signal, answered.signal]);
    const answer = this.#card.transmit(Buffer.from(apdu));
    this.#answering = answer.catch(() => {});
    try {
      return await Promise.race([
        answer,
        delay(this.#clock, options.timeoutMs, over).then(() => {
          throw new CardError('TIMEOUT', 'the card does not answer');
        }),
      ]);
    } catch (error) {
      options.signal.throwIfAborted();
      throw pcscFailure(error);
    } finally {
      answered.abort();
    }
  }
}

/** By T=0 a command with data is sent without the length it expects; GET RESPONSE asks for that (ISO/IEC 7816-3). */
function withoutLe(apdu: Uint8Array): Uint8Array {
  const [, , , , lc = 0] = apdu;
  return apdu.length === 6 + lc && lc > 0 ? apdu.subarray(0, -1) : apdu;
}

/** The service's errors differ from system to system in all but their words. */
export function pcscFailure(error: unknown): Error {
  if (error instanceof CardError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (/service|reader|communication|context|handle/i.test(message)) return new TransportClosed(message);
  return new CardError(/remov|no smart ?card/i.test(message) ? 'REMOVED' : 'BAD_READ', message);
}
