import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { Random } from '../../../shared/random.ts';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
/** Marks sealed text. No JSON begins with this character. */
const textMark = '=';

/**
 * Seals the messages between the gateways of one database. Another user of the same NATS can neither read them (PINs
 * are among them) nor send one that a gateway believes.
 */
export class SealKey {
  /** The name of the database on a NATS, which the users of the NATS can see. The key cannot be derived from it. */
  readonly name: string;
  /**
   * Kept as an object: from a key given as bytes Node would make the object anew for each message, which takes longer
   * than the rest.
   */
  readonly #key: KeyObject;
  readonly #random: Random;

  /** `secret` is known only to the gateways of one database. */
  constructor(secret: string, random: Random) {
    this.name = derived(secret, 'name').toString('hex').slice(0, 16);
    this.#key = createSecretKey(derived(secret, 'key'));
    this.#random = random;
  }

  /**
   * Seals data for one place, so that they cannot be used at another. Text is sealed as it is: for a long text, this
   * costs half as much as JSON.
   */
  seal(data: unknown, place: string): Uint8Array {
    const nonce = this.#random.bytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.#key, nonce).setAAD(Buffer.from(place));
    const text = typeof data === 'string' ? textMark + data : JSON.stringify(data ?? null);
    const sealed = cipher.update(text, 'utf8');
    return Buffer.concat([nonce, sealed, cipher.final(), cipher.getAuthTag()]);
  }

  /** Opens sealed data. Gives undefined if they were not sealed with this key for this place. */
  open(sealed: Uint8Array, place: string): { data: unknown } | undefined {
    if (sealed.length < nonceBytes + tagBytes) return undefined;
    const nonce = sealed.subarray(0, nonceBytes);
    const decipher = createDecipheriv(algorithm, this.#key, nonce, { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(-tagBytes));
    try {
      const opened = decipher.update(sealed.subarray(nonceBytes, -tagBytes));
      decipher.final(); // this throws if the data was sealed with another key
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
