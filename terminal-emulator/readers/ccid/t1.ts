import { concatBytes } from '../hex.ts';
import { CardError } from '../reader-driver.ts';
import { decodeT1, encodeT1, type T1Block } from './t1-block.ts';

/**
 * Sends one block to the card and resolves to the card's answer. The answer is empty if none could be read. The card
 * gets `waitingFactor` times its usual time for a block.
 */
type BlockExchange = (block: Uint8Array, waitingFactor: number) => Promise<Uint8Array>;

/**
 * The maximum number of bytes that the terminal takes in one block. The terminal tells the card this number in an
 * S(IFS) block.
 */
const ourFieldSize = 254;
/**
 * The maximum number of repetitions of a block. After these repetitions, the terminal synchronises the link with the
 * card again and begins the command again. If the card still does not answer correctly after three more repetitions,
 * the terminal gives up (ISO/IEC 7816-3 §11.6.3).
 */
const mostRepetitions = 3;
/**
 * The maximum number of blocks for one command. Parts of data, repetitions and requests for more time all need
 * blocks. A card that needs more blocks than this is broken.
 */
const mostBlocks = 400;

/** One command that is sent to the card in parts, with the answer received so far. */
interface Conversation {
  readonly apdu: Uint8Array;
  /** How many bytes of the command the card has confirmed. */
  confirmed: number;
  /** The part that is being sent now; undefined once the card has begun its answer. */
  part: Extract<T1Block, { kind: 'I' }> | undefined;
  answer: Uint8Array[];
  repetitions: number;
  synchronised: boolean;
}

/** The terminal's side of T=1, for one powered card. Block numbers and sizes are kept as long as the card has power. */
export class T1Link {
  readonly #exchange: BlockExchange;
  #cardFieldSize: number;
  #sendNumber: 0 | 1 = 0;
  #receiveNumber: 0 | 1 = 0;
  #waitingFactor = 1;

  constructor(exchange: BlockExchange, cardFieldSize: number) {
    this.#exchange = exchange;
    this.#cardFieldSize = Math.min(Math.max(cardFieldSize, 1), ourFieldSize);
  }

  /**
   * Announces to the card that the terminal takes 254 bytes in a block. A card that does not agree sends at most 32
   * bytes in a block.
   */
  async announceFieldSize(): Promise<void> {
    await this.#ask('ifs', Uint8Array.of(ourFieldSize));
  }

  /**
   * Sends one APDU in as many blocks as needed, and resolves to the whole answer.
   *
   * @throws CardError BAD_READ
   */
  async transmit(apdu: Uint8Array): Promise<Uint8Array> {
    const talk: Conversation = {
      apdu,
      confirmed: 0,
      part: undefined,
      answer: [],
      repetitions: 0,
      synchronised: false,
    };
    let block = this.#nextPart(talk);
    for (let count = 0; count < mostBlocks; count++) {
      const next = await this.#react(talk, block, decodeT1(await this.#send(block)));
      if (next === 'done') return concatBytes(...talk.answer);
      block = next;
    }
    throw new CardError('BAD_READ', 'the card never finishes its answer');
  }

  async #react(
    talk: Conversation,
    sent: T1Block,
    got: ReturnType<typeof decodeT1>,
  ): Promise<T1Block | 'done'> {
    if (typeof got === 'string') return this.#repeat(talk, sent.kind === 'R' ? sent : this.#rBlock(got));
    if (got.kind === 'S') return got.request ? this.#grant(got) : this.#repeat(talk, this.#rBlock('other'));
    // The card still waits for the terminal's reply to the card's request, because that reply did not arrive.
    if (got.kind === 'R' && sent.kind === 'S') return this.#repeat(talk, sent);
    if (got.kind === 'R') return this.#confirmedUpTo(talk, got.number);
    return this.#answered(talk, got);
  }

  /** Handles an R block, with which the card asks for the next block or for the same block again. */
  async #confirmedUpTo(talk: Conversation, number: 0 | 1): Promise<T1Block> {
    const { part } = talk;
    if (!part) return this.#repeat(talk, this.#rBlock('none'));
    if (number === part.number || !part.more) return this.#repeat(talk, part);
    talk.confirmed += part.data.length;
    talk.repetitions = 0;
    this.#sendNumber = flipped(this.#sendNumber);
    return this.#nextPart(talk);
  }

  async #answered(talk: Conversation, got: Extract<T1Block, { kind: 'I' }>): Promise<T1Block | 'done'> {
    if (talk.part?.more || got.number !== this.#receiveNumber)
      return this.#repeat(talk, this.#rBlock('other'));
    if (talk.part) this.#sendNumber = flipped(this.#sendNumber);
    talk.part = undefined;
    talk.repetitions = 0;
    this.#receiveNumber = flipped(this.#receiveNumber);
    talk.answer.push(got.data);
    return got.more ? this.#rBlock('none') : 'done';
  }

  #nextPart(talk: Conversation): T1Block {
    const data = talk.apdu.slice(talk.confirmed, talk.confirmed + this.#cardFieldSize);
    const more = talk.confirmed + data.length < talk.apdu.length;
    talk.part = { kind: 'I', number: this.#sendNumber, more, data };
    return talk.part;
  }

  /**
   * Makes an R(N) block, which asks for block N. If `error` is `none`, the block asks the card for the next part of its
   * answer.
   */
  #rBlock(error: 'none' | 'checksum' | 'other'): T1Block {
    return { kind: 'R', number: this.#receiveNumber, error };
  }

  /**
   * Repeats `block`. If the terminal has repeated blocks too often already, it synchronises the link again and begins
   * the command again.
   */
  async #repeat(talk: Conversation, block: T1Block): Promise<T1Block> {
    if (++talk.repetitions <= mostRepetitions) return block;
    if (talk.synchronised || !(await this.#ask('resynch', new Uint8Array())))
      throw new CardError('BAD_READ', 'the card and the driver cannot synchronise');
    this.#sendNumber = 0;
    this.#receiveNumber = 0;
    Object.assign(talk, { confirmed: 0, answer: [], repetitions: 0, synchronised: true });
    return this.#nextPart(talk);
  }

  /** Grants a request that the card makes while it works on a command, such as a request for more time. */
  #grant(request: Extract<T1Block, { kind: 'S' }>): T1Block {
    const [value = 0] = request.data;
    if (request.what === 'abort' || request.what === 'resynch')
      throw new CardError('BAD_READ', 'the card aborted the command');
    if (request.what === 'wtx') this.#waitingFactor = Math.max(value, 1);
    else this.#cardFieldSize = Math.min(Math.max(value, 1), ourFieldSize);
    return { ...request, request: false };
  }

  /** Sends a request to the card, at most three times. Gives true if the card agreed. */
  async #ask(what: 'ifs' | 'resynch', data: Uint8Array): Promise<boolean> {
    for (let attempt = 0; attempt < mostRepetitions; attempt++) {
      const got = decodeT1(await this.#send({ kind: 'S', what, request: true, data }));
      if (typeof got === 'object' && got.kind === 'S' && got.what === what && !got.request) return true;
    }
    return false;
  }

  #send(block: T1Block): Promise<Uint8Array> {
    const factor = this.#waitingFactor;
    this.#waitingFactor = 1;
    return this.#exchange(encodeT1(block), factor);
  }
}

function flipped(number: 0 | 1): 0 | 1 {
  return number === 0 ? 1 : 0;
}
