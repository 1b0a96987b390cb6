import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';
import type { Clock } from './clock.ts';

/** The only source of chance in the program. */
export interface Random {
  bytes(count: number): Uint8Array;
  /** A whole number from 0 up to, not including, `below`. */
  int(below: number): number;
}

/** Unpredictable bytes from the operating system, for everything that is not replayed. */
export const systemRandom: Random = fromBytes(pooled(8192));

/** Asking the operating system costs much more than the bytes, so they are fetched many at once. */
function pooled(size: number): (count: number) => Uint8Array {
  const pool = new Uint8Array(size);
  let used = size;
  return (count) => {
    if (count > size) return randomFillSync(new Uint8Array(count));
    if (used + count > size) {
      randomFillSync(pool);
      used = 0;
    }
    const bytes = pool.slice(used, used + count);
    pool.fill(0, used, used + count); // secrets are made of it
    used += count;
    return bytes;
  };
}

/** The same numbers for the same seed, on every machine (sfc32, seeded by splitmix32). */
export function seededRandom(seed: number): Random {
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
    const b = bytes(6);
    const value = b.reduce((sum, byte) => sum * 256 + byte, 0);
    return value % below;
  };
  return { bytes, int };
}

const alphanumerics = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** `length` upper-case letters and digits, e.g. a nexo ServiceID (10) or a pspReference (16). */
export function alphanumeric(random: Random, length: number): string {
  let text = '';
  while (text.length < length) text += alphanumerics[random.int(alphanumerics.length)];
  return text;
}

/** Makes identifiers: UUIDs of version 7, which sort by the clock's time and then by order of making. */
export class Identifiers {
  #clock: Clock;
  #random: Random;
  #lastMs = -1;
  #seq = 0;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Makes every later identifier sort behind those of `ms`, wherever the clock stands. */
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
    return v7({ msecs: this.#lastMs, seq: this.#seq, random: this.#random.bytes(16) });
  }
}
