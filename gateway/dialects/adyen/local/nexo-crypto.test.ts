import NexoCrypto from '@adyen/api-library/lib/src/security/nexoCrypto.js';
import { expect, test } from 'vitest';
import { decrypt, deriveKeys, encrypt } from './nexo-crypto.ts';

const passphrase = 'p@ssw0rd123456';
const nonce = Uint8Array.from({ length: 16 }, (_, at) => at);

test('the key, the ciphertext and the signature are those of the published vector', async () => {
  const key = await deriveKeys(passphrase);
  expect(key.hmac.toString('hex')).toBe('733636253b5b98f9a483b1a678d73a58dab2accafbc029ecbe12d60eaa909e32');
  expect(key.cipher.toString('hex')).toBe('cf2c822761b9f5305bf69970bfa7b659a6724a119db21f8b0e949779f2ea022c');
  expect(key.iv.toString('hex')).toBe('bb9ba8092e6027c735398dc65977c051');
  const { blob, hmac } = encrypt(key, '{"a":1}', nonce);
  expect(blob.toString('base64')).toBe('csHlcd8pJ9drFgj9NXB65A==');
  expect(hmac.toString('base64')).toBe('Tvf5h0uazTCiE+bk6pUH97zQ5k2QXPApIaTrtMnLd9c=');
});

test("pinpad and the vendor's client can decrypt each other's messages", async () => {
  const key = await deriveKeys(passphrase);
  const secret = { Passphrase: passphrase, KeyIdentifier: 'k', KeyVersion: 1, AdyenCryptoVersion: 1 };
  const { NexoBlob, SecurityTrailer } = NexoCrypto.default.encrypt({} as never, '{"a":"é"}', secret);
  const came = {
    blob: Buffer.from(NexoBlob, 'base64'),
    nonce: Buffer.from(SecurityTrailer.Nonce as string, 'base64'),
    hmac: Buffer.from(SecurityTrailer.Hmac as string, 'base64'),
  };
  expect(decrypt(key, came)?.toString()).toBe('{"a":"é"}');
  const { blob, hmac } = encrypt(key, '{"b":"ü"}', nonce);
  const sent = {
    MessageHeader: {} as never,
    NexoBlob: blob.toString('base64'),
    SecurityTrailer: {
      Nonce: Buffer.from(nonce).toString('base64'),
      Hmac: hmac.toString('base64'),
      KeyIdentifier: 'k',
      KeyVersion: 1,
      AdyenCryptoVersion: 1,
    },
  };
  expect(new NexoCrypto.default().decrypt(sent as never, secret)).toBe('{"b":"ü"}');
});

test('a message with another key, or changed on its way, is not decrypted', async () => {
  const [key, other] = [await deriveKeys(passphrase), await deriveKeys('another')];
  const sent = encrypt(key, '{"a":1}', nonce);
  expect(decrypt(other, sent)).toBeUndefined();
  const changed = (bytes: Uint8Array) => Buffer.from(bytes.map((byte, at) => (at === 0 ? byte ^ 1 : byte)));
  expect(decrypt(key, { ...sent, hmac: changed(sent.hmac) })).toBeUndefined();
  expect(decrypt(key, { ...sent, hmac: sent.hmac.subarray(1) })).toBeUndefined();
  expect(decrypt(key, { ...sent, blob: changed(sent.blob) })).toBeUndefined();
  expect(decrypt(key, { ...sent, nonce: changed(nonce) })).toBeUndefined();
  expect(decrypt(key, { ...sent, nonce: nonce.subarray(1) })).toBeUndefined();
});
