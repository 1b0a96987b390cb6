import { createCipheriv, createDecipheriv, createHmac, pbkdf2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const salt = 'AdyenNexoV1Salt';
const iterations = 4_000;
/** The length of a nonce, in bytes. It equals the block length of the cipher. */
export const nonceLength = 16;

/** The keys that encrypt and sign messages. They are derived from a passphrase. */
export interface DerivedKeys {
  readonly hmac: Buffer;
  readonly cipher: Buffer;
  readonly iv: Buffer;
}

/** An encrypted message, and the signature of its plain text. */
interface Encrypted {
  readonly blob: Buffer;
  readonly nonce: Uint8Array;
  readonly hmac: Buffer;
}

/**
 * Derives the keys from a passphrase. Each character of the passphrase counts as one byte. The derivation takes
 * milliseconds, so call this once for each passphrase.
 */
export async function deriveKeys(passphrase: string): Promise<DerivedKeys> {
  const derived = await promisify(pbkdf2)(Buffer.from(passphrase, 'latin1'), salt, iterations, 80, 'sha1');
  return { hmac: derived.subarray(0, 32), cipher: derived.subarray(32, 64), iv: derived.subarray(64, 80) };
}

export function encrypt(key: DerivedKeys, text: string, nonce: Uint8Array): Encrypted {
  const plain = Buffer.from(text);
  const cipher = createCipheriv('aes-256-cbc', key.cipher, ivOf(key, nonce));
  return { blob: Buffer.concat([cipher.update(plain), cipher.final()]), nonce, hmac: signed(key, plain) };
}

/**
 * Decrypts a message. Returns undefined if the message was encrypted with another key, or was changed after its
 * encryption.
 */
export function decrypt(key: DerivedKeys, { blob, nonce, hmac }: Encrypted): Buffer | undefined {
  if (nonce.length !== nonceLength) return undefined;
  try {
    const decipher = createDecipheriv('aes-256-cbc', key.cipher, ivOf(key, nonce));
    const plain = Buffer.concat([decipher.update(blob), decipher.final()]);
    const expected = signed(key, plain);
    return hmac.length === expected.length && timingSafeEqual(hmac, expected) ? plain : undefined;
  } catch {
    return undefined; // wrong padding
  }
}

function ivOf({ iv }: DerivedKeys, nonce: Uint8Array): Buffer {
  return Buffer.from(iv.map((byte, at) => byte ^ (nonce[at] as number)));
}

function signed({ hmac }: DerivedKeys, plain: Buffer): Buffer {
  return createHmac('sha256', hmac).update(plain).digest();
}
