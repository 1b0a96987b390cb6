import { decodeT1, encodeT1, type T1Block } from '../ccid/t1-block.ts';
import { concatBytes } from '../hex.ts';

/** The card's side of T=1. It answers each block with a block, and passes whole commands on to the chip. */
export class T1Card {
  readonly #transmit: (apdu: Uint8Array) => Uint8Array;
  readonly #fieldSizeOfCard: number;
  #fieldSizeOfReader = 32;
  #sendNumber: 0 | 1 = 0;
  #receiveNumber: 0 | 1 = 0;
  #command: Uint8Array[] = [];
  #answer: Uint8Array = new Uint8Array();
  #last: Uint8Array = new Uint8Array();

  constructor(transmit: (apdu: Uint8Array) => Uint8Array, fieldSize: number) {
    this.#transmit = transmit;
    this.#fieldSizeOfCard = fieldSize;
  }

  /** Answers one block. */
  receive(bytes: Uint8Array): Uint8Array {
    const block = decodeT1(bytes);
    const answer = typeof block === 'string' ? this.#rBlock(block) : this.#react(block);
    this.#last = encodeT1(answer);
    return this.#last;
  }

  #react(block: T1Block): T1Block {
    switch (block.kind) {
      case 'S':
        return this.#supervise(block);
      case 'R':
        return this.#confirmed(block.number);
      case 'I':
        return this.#part(block);
    }
  }

  #supervise(block: Extract<T1Block, { kind: 'S' }>): T1Block {
    if (!block.request) return this.#rBlock('other');
    if (block.what === 'ifs') this.#fieldSizeOfReader = Math.max(block.data[0] ?? 32, 1);
    if (block.what === 'resynch') {
      this.#sendNumber = 0;
      this.#receiveNumber = 0;
      this.#command = [];
      this.#answer = new Uint8Array();
    }
    return { ...block, request: false };
  }

  /** Handles an R block, with which the reader asks for the next part of the answer, or for the last block again. */
  #confirmed(number: 0 | 1): T1Block {
    if (number === this.#sendNumber && this.#answer.length > 0) return this.#nextPart();
    const again = decodeT1(this.#last);
    return typeof again === 'string' ? this.#rBlock('other') : again;
  }

  #part(block: Extract<T1Block, { kind: 'I' }>): T1Block {
    if (block.number !== this.#receiveNumber || block.data.length > this.#fieldSizeOfCard)
      return this.#rBlock('other');
    this.#receiveNumber = this.#receiveNumber === 0 ? 1 : 0;
    this.#command.push(block.data);
    if (block.more) return this.#rBlock('none');
    this.#answer = this.#transmit(concatBytes(...this.#command));
    this.#command = [];
    return this.#nextPart();
  }

  #nextPart(): T1Block {
    const data = this.#answer.slice(0, this.#fieldSizeOfReader);
    this.#answer = this.#answer.slice(data.length);
    const number = this.#sendNumber;
    this.#sendNumber = number === 0 ? 1 : 0;
    return { kind: 'I', number, more: this.#answer.length > 0, data };
  }

  #rBlock(error: 'none' | 'checksum' | 'other'): T1Block {
    return { kind: 'R', number: this.#receiveNumber, error };
  }
}
