import { createHash } from 'node:crypto';

/**
 * The password that Java's own trust store has by default. It needs no protection, because a trust store contains no
 * secrets.
 */
export const trustStorePassword = 'changeit';

const magic = 0xfeedfeed;
const version = 2;
const trustedCertificate = 2;

/**
 * Makes a trust store in Java's own format, JKS, from certificates in DER. Every JVM reads JKS, and it is the only
 * format that can be written without a Java program. The file ends with a digest of the password and all bytes before
 * it.
 */
export function createTrustStore(certificates: readonly Buffer[], nowMs: number): Buffer {
  const entries = certificates.flatMap((certificate, index) => [
    ...[int(trustedCertificate), text(`pinpad-${index}`), long(nowMs)],
    ...[text('X.509'), int(certificate.length), certificate],
  ]);
  const content = Buffer.concat([int(magic), int(version), int(certificates.length), ...entries]);
  const digest = createHash('sha1')
    .update(Buffer.from(trustStorePassword, 'utf16le').swap16())
    .update('Mighty Aphrodite')
    .update(content);
  return Buffer.concat([content, digest.digest()]);
}

function int(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function long(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

function text(value: string): Buffer {
  const bytes = Buffer.alloc(2 + value.length);
  bytes.writeUInt16BE(value.length);
  bytes.write(value, 2, 'latin1');
  return bytes;
}
