import { z } from 'zod';
import { stringifyCanonicalJson } from '../../../../shared/canonical-json.ts';
import { memoize } from '../../../../shared/memoize.ts';
import type { Random } from '../../../../shared/random.ts';
import { ApiError } from '../../../http/errors.ts';
import type { LocalKey } from '../../dialect-options.ts';
import { fieldOf } from '../message.ts';
import { type DerivedKeys, decrypt, deriveKeys, encrypt, nonceLength } from './nexo-crypto.ts';

const base64 = z.base64().transform((text) => Buffer.from(text, 'base64'));
/** An encrypted message. The message's header is sent in unencrypted form as well. */
const encryptedMessage = z.object({
  SaleToPOIRequest: z.object({
    MessageHeader: z.record(z.string(), z.unknown()),
    NexoBlob: base64,
    SecurityTrailer: z.object({
      AdyenCryptoVersion: z.coerce.number().pipe(z.literal(1)),
      KeyIdentifier: z.string(),
      KeyVersion: z.coerce.number(),
      Nonce: base64,
      Hmac: base64,
    }),
  }),
});

/** A decrypted message. */
interface DecryptedMessage {
  readonly plain: Buffer;
  /** The terminal to which the message is addressed. */
  readonly poiId: string;
  /** The name and version of the key that the till used. */
  readonly key: string;
  /** Encrypts an answer with the key that the till used. */
  seal(answer: string): string;
}

export const cryptoErrorMessage = 'Nexo Service: crypto error (3)';

/** Decrypts messages that tills have encrypted with one of these keys, and encrypts the answers. */
export class EnvelopeCipher {
  readonly #keys: readonly LocalKey[];
  readonly #random: Random;
  readonly #keysFrom = memoize((passphrase: string) => deriveKeys(passphrase));

  constructor(keys: readonly LocalKey[], random: Random) {
    this.#keys = keys;
    this.#random = random;
  }

  /**
   * @throws ApiError invalidRequest. The error's text says only that the message cannot be decrypted. It does not say
   *   why.
   */
  async open(json: unknown): Promise<DecryptedMessage> {
    const envelope = encryptedMessage.safeParse(json).data?.SaleToPOIRequest;
    const key = envelope && this.#keyOf(envelope.SecurityTrailer);
    if (!key) throw decryptionFailed();
    const { MessageHeader: header, NexoBlob: blob, SecurityTrailer: trailer } = envelope;
    const derived = await this.#keysFrom(key.passphrase);
    const plain = decrypt(derived, { blob, nonce: trailer.Nonce, hmac: trailer.Hmac });
    if (!plain || !isSameHeader(header, plain)) throw decryptionFailed();
    return {
      plain,
      poiId: String(header.POIID),
      key: `${key.identifier} ${key.version}`,
      seal: (answer) => this.#encrypt(answer, key, derived),
    };
  }

  #keyOf({ KeyIdentifier, KeyVersion }: { KeyIdentifier: string; KeyVersion: number }): LocalKey | undefined {
    return this.#keys.find(
      ({ identifier, version }) => identifier === KeyIdentifier && version === KeyVersion,
    );
  }

  #encrypt(answer: string, { identifier, version }: LocalKey, key: DerivedKeys): string {
    const [[name, message] = ['', undefined]] = Object.entries(JSON.parse(answer) as object);
    // If the gateway itself has sent a copy of the message, the answer to the copy is already encrypted.
    if (fieldOf(message, 'SecurityTrailer') !== undefined) return answer;
    const { blob, nonce, hmac } = encrypt(key, answer, this.#random.bytes(nonceLength));
    return JSON.stringify({
      [name]: {
        MessageHeader: fieldOf(message, 'MessageHeader'),
        NexoBlob: blob.toString('base64'),
        SecurityTrailer: {
          AdyenCryptoVersion: 1,
          KeyIdentifier: identifier,
          KeyVersion: version,
          Nonce: Buffer.from(nonce).toString('base64'),
          Hmac: hmac.toString('base64'),
        },
      },
    });
  }
}

/**
 * Returns whether the unencrypted header equals the header in the encrypted message. The two must be compared, because
 * the signature covers only the header in the encrypted message.
 */
function isSameHeader(header: object, plain: Buffer): boolean {
  try {
    const inside = fieldOf(fieldOf(JSON.parse(plain.toString()), 'SaleToPOIRequest'), 'MessageHeader');
    return inside !== undefined && stringifyCanonicalJson(inside) === stringifyCanonicalJson(header);
  } catch {
    return false;
  }
}

function decryptionFailed(): ApiError {
  return new ApiError('invalidRequest', { message: cryptoErrorMessage });
}
