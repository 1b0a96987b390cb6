import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { Random } from '../../../shared/random.ts';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
/** No JSON begins so. */
const textMark = '=';

/**
 * Seals what gateways of one database tell each other: others on the same NATS can neither read it, and PINs are
 * among it, nor say anything that a gateway believes.
 */
export class SealKey {
  /** Names the database to those who share a NATS, and says nothing of the key. */
  readonly name: string;
  /** As an object: from bytes it would be made anew for each message, which takes longer than the rest. */
  readonly #key: KeyObject;
  readonly #random: Random;

  /** `secret` is what only the gateways of one database know. */
  constructor(secret: string, random: Random) {
    this.name = derived(secret, 'name').toString('hex').slice(0, 16);
    this.#key = createSecretKey(derived(secret, 'key'));
    this.#random = random;
  }

  /** Seals data for one place: nobody can use it at another. Text stays as it is, which for a long one costs half. */
  seal(data: unknown, place: string): Uint8Array {
    const nonce = this.#random.bytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.#key, nonce).setAAD(Buffer.from(place));
    const text = typeof data === 'string' ? textMark + data : JSON.stringify(data ?? null);
    const sealed = cipher.update(text, 'utf8');
    return Buffer.concat([nonce, sealed, cipher.final(), cipher.getAuthTag()]);
  }

  /** Undefined where it was not sealed with this key for this place. */
  open(sealed: Uint8Array, place: string): { data: unknown } | undefined {
    if (sealed.length < nonceBytes + tagBytes) return undefined;
    const nonce = sealed.subarray(0, nonceBytes);
    const decipher = createDecipheriv(algorithm, this.#key, nonce, { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(-tagBytes));
    try {
      const opened = decipher.update(sealed.subarray(nonceBytes, -tagBytes));
      decipher.final(); // throws where it is a stranger's
      const text = opened.toString();
      return { data: text.startsWith(textMark) ? text.slice(textMark.length) : JSON.parse(text) };
    } catch {
      return undefined;
    }
  }
}

function derived(secret: string, use: string): Buffer {
  return createHmac('sha256', secret).update(`pinpad ${use}`).digest();
}
