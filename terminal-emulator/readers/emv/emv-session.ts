import { type ApduChannel, CardError } from '../reader-driver.ts';
import { parseResponseApdu, type ResponseApdu } from './apdu.ts';

/**
 * The maximum number of commands in one reading of a card. No good card needs this many commands, so a card that asks
 * for more commands is broken or hostile.
 */
const mostCommands = 160;
/** The time limit for each command. */
const commandMs = 5_000;

/** A conversation with one card. It limits the number of commands and the time for each command. */
export class EmvSession {
  readonly contactless: boolean;
  #channel: ApduChannel;
  #signal: AbortSignal;
  #commands = 0;

  constructor(channel: ApduChannel, signal: AbortSignal) {
    this.contactless = channel.contactless;
    this.#channel = channel;
    this.#signal = signal;
  }

  /** @throws CardError if the card is gone or slow, or gives an invalid answer */
  async exchange(command: Uint8Array): Promise<ResponseApdu> {
    if (++this.#commands > mostCommands) throw new CardError('BAD_READ', 'the card needs too many commands');
    const bytes = await this.#channel.transmit(command, { timeoutMs: commandMs, signal: this.#signal });
    const response = parseResponseApdu(bytes);
    if (!response) throw new CardError('BAD_READ', "the card's answer has no status word");
    return response;
  }
}
