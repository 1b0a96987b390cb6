import { fetchCompleteResponse } from '../emv/complete-response.ts';
import { concatBytes } from '../hex.ts';
import { type ApduChannel, CardError } from '../reader-driver.ts';
import { Pn532Error, type Pn532Link } from './pn532-link.ts';

const inDataExchange = 0x40;
/**
 * The bit that means that more data follows. The bit is set in the target number of a command, or in the status of a
 * response.
 */
const more = 0x40;
/** The maximum number of bytes in one exchange (PN532 user manual §7.3.8). */
const longestExchange = 262;
const longestAnswer = 65_536;

/** Statuses that mean the card has left the field: timeout, field off, released, disappeared. */
const gone = new Set([0x01, 0x0a, 0x29, 0x2b]);

/**
 * Sends commands to the card in a PN532's field, and gives the card's answers. The chip itself handles ISO/IEC 14443-4.
 */
export class IsoDepChannel implements ApduChannel {
  readonly contactless = true;
  readonly atr: Uint8Array;
  #link: Pn532Link;
  #target: number;

  constructor(link: Pn532Link, target: number, ats: Uint8Array) {
    this.#link = link;
    this.#target = target;
    this.atr = ats;
  }

  transmit(apdu: Uint8Array, options: { timeoutMs: number; signal: AbortSignal }): Promise<Uint8Array> {
    return fetchCompleteResponse((command) => this.#exchange(command, options), apdu);
  }

  async #exchange(
    apdu: Uint8Array,
    options: { timeoutMs: number; signal: AbortSignal },
  ): Promise<Uint8Array> {
    let rest = apdu;
    while (rest.length > longestExchange) {
      await this.#exchangePart(this.#target | more, rest.subarray(0, longestExchange), options);
      rest = rest.subarray(longestExchange);
    }
    const parts: Uint8Array[] = [];
    let total = 0;
    for (;;) {
      const part = await this.#exchangePart(this.#target, rest, options);
      parts.push(part.data);
      total += part.data.length;
      if (!part.more) return concatBytes(...parts);
      if (part.data.length === 0 || total > longestAnswer)
        throw new CardError('BAD_READ', "the card's answer does not end");
      rest = new Uint8Array();
    }
  }

  async #exchangePart(
    target: number,
    data: Uint8Array,
    options: { timeoutMs: number; signal: AbortSignal },
  ): Promise<{ data: Uint8Array; more: boolean }> {
    const response = await this.#link
      .command(inDataExchange, [target, ...data], { ...options, repeatable: false })
      .catch((error) => {
        throw asCardError(error);
      });
    const [status] = response;
    if (status === undefined) throw new CardError('BAD_READ', "the reader's answer has no status");
    const fault = status & 0x3f;
    if (gone.has(fault)) throw new CardError('REMOVED');
    if (fault !== 0) throw new CardError('BAD_READ', `the radio failed: ${fault.toString(16)}`);
    return { data: response.subarray(1), more: (status & more) !== 0 };
  }
}

/**
 * Turns an error of the PN532 chip into an error of the card. If the PN532 chip itself does not answer, the next
 * command finds this out.
 */
function asCardError(error: unknown): unknown {
  if (!(error instanceof Pn532Error)) return error;
  return new CardError(error.code === 'NO_RESPONSE' ? 'TIMEOUT' : 'BAD_READ', error.message);
}
