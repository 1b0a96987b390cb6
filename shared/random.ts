import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';
import type { Clock } from './clock.ts';

/** The only source of random numbers in the program. */
export interface Random {
  bytes(count: number): Uint8Array;
  /** Returns a whole number from 0 to `below` - 1. */
  int(below: number): number;
}

/**
 * The number of random bytes from which a number is computed. Six bytes have vastly more values than any `below`, so
 * the remainder favours no number.
 */
const bytesOfInt = 6;

/** Unpredictable bytes from the operating system, for everything that need not be repeatable. */
export const systemRandom: Random = pooled(8192);

/**
 * Makes a source of random numbers that fetches many bytes at once from the operating system, because each request to
 * the operating system is slow. `int` reads a number without copying its bytes, because each payment needs a hundred
 * numbers.
 */
function pooled(size: number): Random {
  const pool = Buffer.alloc(size);
  let used = size;
  const take = (count: number) => {
    if (used + count > size) {
      randomFillSync(pool);
      used = 0;
    }
    used += count;
    return used - count;
  };
  const bytes = (count: number) => {
    if (count > size) return randomFillSync(new Uint8Array(count));
    const at = take(count);
    const taken = new Uint8Array(pool.subarray(at, used));
    pool.fill(0, at, used); // these bytes are removed from the pool, because secrets are made from them
    return taken;
  };
  const int = (below: number) => {
    const at = take(bytesOfInt);
    const value = pool.readUIntBE(at, bytesOfInt);
    pool.writeUIntBE(0, at, bytesOfInt);
    return value % below;
  };
  return { bytes, int };
}

/** Makes a source that gives the same numbers for the same seed on every machine (sfc32, seeded by splitmix32). */
export function makeSeededRandom(seed: number): Random {
  let mix = seed >>> 0;
  const next = () => {
    mix = (mix + 0x9e3779b9) >>> 0;
    let t = mix ^ (mix >>> 16);
    t = Math.imul(t, 0x21f0aaad);
    t ^= t >>> 15;
    t = Math.imul(t, 0x735a2d97);
    return (t ^ (t >>> 15)) >>> 0;
  };
  let [a, b, c, counter] = [next(), next(), next(), 1];
  const word = () => {
    const t = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + t) | 0;
    return t >>> 0;
  };
  return fromBytes((count) => {
    const bytes = new Uint8Array(count);
    for (let i = 0; i < count; i += 4) {
      const value = word();
      for (let j = 0; j < 4 && i + j < count; j++) bytes[i + j] = value >>> (8 * j);
    }
    return bytes;
  });
}

function fromBytes(bytes: (count: number) => Uint8Array): Random {
  const int = (below: number) => {
    const b = bytes(bytesOfInt);
    const value = b.reduce((sum, byte) => sum * 256 + byte, 0);
    return value % below;
  };
  return { bytes, int };
}

const alphanumerics = Buffer.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ');

/** Returns `length` upper-case letters and digits, for example a nexo ServiceID (10) or a pspReference (16). */
export function makeAlphanumericText(random: Random, length: number): string {
  const text = Buffer.allocUnsafe(length);
  for (let at = 0; at < length; at++) text[at] = alphanumerics[random.int(alphanumerics.length)] as number;
  return text.toString('latin1');
}

const hexDigits = Buffer.from('0123456789abcdef');

/**
 * Makes identifiers: UUIDs of version 7. If identifiers are sorted as texts, they are in the order of the clock's time;
 * identifiers of the same time are in the order in which they were made.
 */
export class IdentifierGenerator {
  #clock: Clock;
  #random: Random;
  #lastMs = -1;
  #seq = 0;
  /**
   * The buffers in which every identifier is made. They are used again and again, so that the garbage collector has
   * less work; a charge needs five identifiers.
   */
  readonly #bytes = new Uint8Array(16);
  readonly #text = Buffer.alloc(36, '-');

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /**
   * From now on, every identifier sorts after the identifiers of the moment `ms`, even if the clock shows an earlier
   * time.
   */
  startAfter(ms: number): void {
    if (ms < this.#lastMs) return;
    this.#lastMs = ms + 1;
    this.#seq = 0;
  }

  next(): string {
    const nowMs = this.#clock.now();
    if (nowMs > this.#lastMs) {
      this.#lastMs = nowMs;
      this.#seq = 0;
    } else this.#seq++;
    v7({ msecs: this.#lastMs, seq: this.#seq, random: this.#random.bytes(16) }, this.#bytes);
    return this.#asText();
  }

  #asText(): string {
    const text = this.#text;
    let at = 0;
    for (const byte of this.#bytes) {
      if (at === 8 || at === 13 || at === 18 || at === 23) at++; // the dashes
      text[at++] = hexDigits[byte >> 4] as number;
      text[at++] = hexDigits[byte & 15] as number;
    }
    return text.toString('latin1');
  }
}
