import { createHash, createPublicKey, type KeyObject, sign } from 'node:crypto';
import type * as Asn1 from '@peculiar/asn1-schema';
import type * as X509 from '@peculiar/asn1-x509';
import type { CertificateSources } from './certificate-sources.ts';

interface ToWrite {
  readonly subject: X509.Name;
  readonly issuer: X509.Name;
  readonly key: KeyObject;
  readonly days: number;
  readonly signedWith: KeyObject;
  readonly extensions: readonly X509.Extension[];
}

/**
 * The validity of a certificate begins this many milliseconds before the certificate is made, because the clock of
 * another machine may be behind.
 */
const earlierMs = 3_600_000;
const dayMs = 86_400_000;
const serialNumberBytes = 16;

const ecdsaWithSha256 = '1.2.840.10045.4.3.2';
const commonNameType = '2.5.4.3';

/** Writes certificates (RFC 5280 §4): Node's crypto can sign certificates, but not write them. */
export class CertificateWriter {
  readonly #asn1: typeof Asn1;
  readonly #x509: typeof X509;
  readonly #sources: CertificateSources;

  private constructor(asn1: typeof Asn1, x509: typeof X509, sources: CertificateSources) {
    this.#asn1 = asn1;
    this.#x509 = x509;
    this.#sources = sources;
  }

  /** Loads the libraries only here, because pinpad usually starts without writing a certificate. */
  static async load(sources: CertificateSources): Promise<CertificateWriter> {
    const [asn1, x509] = await Promise.all([import('@peculiar/asn1-schema'), import('@peculiar/asn1-x509')]);
    return new CertificateWriter(asn1, x509, sources);
  }

  /** Returns a certificate as PEM. */
  write({ subject, issuer, key, days, signedWith, extensions }: ToWrite): string {
    const { AlgorithmIdentifier, Certificate, Extensions, SubjectPublicKeyInfo, TBSCertificate } = this.#x509;
    const nowMs = this.#sources.clock.now();
    const signatureAlgorithm = new AlgorithmIdentifier({ algorithm: ecdsaWithSha256 });
    const tbsCertificate = new TBSCertificate({
      ...{ version: this.#x509.Version.v3, serialNumber: this.#serialNumber(), subject, issuer },
      ...{ signature: signatureAlgorithm, extensions: new Extensions([...extensions]) },
      validity: new this.#x509.Validity({
        notBefore: new Date(nowMs - earlierMs),
        notAfter: new Date(nowMs + days * dayMs),
      }),
      subjectPublicKeyInfo: this.#asn1.AsnConvert.parse(publicDer(key), SubjectPublicKeyInfo),
    });
    const signature = sign('sha256', Buffer.from(this.#derOf(tbsCertificate)), signedWith);
    const signatureValue = new Uint8Array(signature).buffer;
    return pemOf(this.#derOf(new Certificate({ tbsCertificate, signatureAlgorithm, signatureValue })));
  }

  nameOf(commonName: string): X509.Name {
    const { AttributeTypeAndValue, AttributeValue, Name, RelativeDistinguishedName } = this.#x509;
    const value = new AttributeValue({ utf8String: commonName });
    return new Name([
      new RelativeDistinguishedName([new AttributeTypeAndValue({ type: commonNameType, value })]),
    ]);
  }

  subjectOf(certificatePem: string): X509.Name {
    const der = Buffer.from(certificatePem.replace(/-----[^-]+-----/g, ''), 'base64');
    return this.#asn1.AsnConvert.parse(der, this.#x509.Certificate).tbsCertificate.subject;
  }

  /**
   * The extensions of an authority's certificate. They limit the authority to certificates for names in these domains,
   * and allow no IP addresses (RFC 5280 §4.2.1.10).
   */
  authorityExtensions(key: KeyObject, domains: readonly string[]): X509.Extension[] {
    const { BasicConstraints, GeneralSubtrees, KeyUsage, KeyUsageFlags, NameConstraints } = this.#x509;
    const constraints = new NameConstraints({
      permittedSubtrees: new GeneralSubtrees(domains.map((dNSName) => this.#subtree({ dNSName }))),
      excludedSubtrees: new GeneralSubtrees(
        ['0.0.0.0/0', '::/0'].map((iPAddress) => this.#subtree({ iPAddress })),
      ),
    });
    return [
      this.#extension(
        this.#x509.id_ce_basicConstraints,
        new BasicConstraints({ cA: true, pathLenConstraint: 0 }),
        true,
      ),
      this.#extension(
        this.#x509.id_ce_keyUsage,
        new KeyUsage(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign),
        true,
      ),
      this.#extension(this.#x509.id_ce_nameConstraints, constraints, true),
      this.#subjectKeyIdentifier(key),
    ];
  }

  /** The extensions of the certificate of a server with these host names. */
  serverExtensions(key: KeyObject, issuerKey: KeyObject, names: readonly string[]): X509.Extension[] {
    const { AuthorityKeyIdentifier, BasicConstraints, ExtendedKeyUsage, GeneralName, KeyIdentifier } =
      this.#x509;
    const { KeyUsage, KeyUsageFlags, SubjectAlternativeName } = this.#x509;
    const hosts = names.map((dNSName) => new GeneralName({ dNSName }));
    const keyIdentifier = new KeyIdentifier(keyDigest(issuerKey));
    return [
      this.#extension(this.#x509.id_ce_basicConstraints, new BasicConstraints({ cA: false }), true),
      this.#extension(this.#x509.id_ce_keyUsage, new KeyUsage(KeyUsageFlags.digitalSignature), true),
      this.#extension(this.#x509.id_ce_extKeyUsage, new ExtendedKeyUsage([this.#x509.id_kp_serverAuth])),
      this.#extension(this.#x509.id_ce_subjectAltName, new SubjectAlternativeName(hosts)),
      this.#subjectKeyIdentifier(key),
      this.#extension(this.#x509.id_ce_authorityKeyIdentifier, new AuthorityKeyIdentifier({ keyIdentifier })),
    ];
  }

  #subtree(base: Partial<X509.GeneralName>): X509.GeneralSubtree {
    return new this.#x509.GeneralSubtree({ base: new this.#x509.GeneralName(base) });
  }

  #subjectKeyIdentifier(key: KeyObject): X509.Extension {
    const { SubjectKeyIdentifier, id_ce_subjectKeyIdentifier } = this.#x509;
    return this.#extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(keyDigest(key)));
  }

  #extension(extnID: string, value: object, critical = false): X509.Extension {
    const extnValue = new this.#asn1.OctetString(this.#derOf(value));
    return new this.#x509.Extension({ extnID, critical, extnValue });
  }

  /**
   * Makes a serial number, which must be positive, and must not begin with a zero byte, because DER would drop that
   * byte.
   */
  #serialNumber(): ArrayBuffer {
    const bytes = new Uint8Array(this.#sources.random.bytes(serialNumberBytes));
    bytes[0] = ((bytes[0] as number) & 0x3f) | 0x40;
    return bytes.buffer;
  }

  #derOf(value: object): ArrayBuffer {
    return this.#asn1.AsnConvert.serialize(value);
  }
}

function publicDer(key: KeyObject): Buffer {
  return createPublicKey(key).export({ type: 'spki', format: 'der' });
}

/**
 * Computes a digest by which a client distinguishes keys when it builds a chain. The standard allows any method to
 * compute this digest (RFC 7093).
 */
function keyDigest(key: KeyObject): Uint8Array {
  return createHash('sha256').update(publicDer(key)).digest().subarray(0, 20);
}

function pemOf(der: ArrayBuffer): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
