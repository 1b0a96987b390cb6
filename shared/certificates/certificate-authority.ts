import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { CertificateSources } from './certificate-sources.ts';
import { CertificateWriter } from './certificate-writer.ts';

/** A certificate and its private key, both as PEM. */
export interface KeyedCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
}

/** Issues certificates for servers within its domains. */
interface CertificateAuthority extends KeyedCertificate {
  /**
   * Issues a server's certificate. Most clients compare the host to which they connect with `names`, and some only with
   * the common name.
   */
  issue(asked: { commonName: string; names: readonly string[]; days: number }): KeyedCertificate;
}

/**
 * Makes an authority with a P-256 key. The authority's certificate limits the authority to these domains. So a thief of
 * the authority's key cannot pretend to be a server of any other domain.
 */
export async function makeCertificateAuthority(
  { name, domains, days }: { name: string; domains: readonly string[]; days: number },
  sources: CertificateSources,
): Promise<CertificateAuthority> {
  const writer = await CertificateWriter.load(sources);
  const key = newKey();
  const [subject, extensions] = [writer.nameOf(name), writer.authorityExtensions(key, domains)];
  const certificatePem = writer.write({ subject, issuer: subject, key, days, signedWith: key, extensions });
  return authorityOf({ certificatePem, keyPem: pemOf(key) }, writer);
}

/** Restores an authority from the certificate and key that were stored earlier. */
export async function restoreCertificateAuthority(
  kept: KeyedCertificate,
  sources: CertificateSources,
): Promise<CertificateAuthority> {
  return authorityOf(kept, await CertificateWriter.load(sources));
}

function authorityOf(own: KeyedCertificate, writer: CertificateWriter): CertificateAuthority {
  const signedWith = createPrivateKey(own.keyPem);
  const issuer = writer.subjectOf(own.certificatePem);
  return {
    ...own,
    issue({ commonName, names, days }) {
      const key = newKey();
      const subject = writer.nameOf(commonName);
      const extensions = writer.serverExtensions(key, signedWith, names);
      const certificatePem = writer.write({ subject, issuer, key, days, signedWith, extensions });
      return { certificatePem, keyPem: pemOf(key) };
    },
  };
}

function newKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }) as string;
}
