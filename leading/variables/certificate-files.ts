import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, rootCertificates } from 'node:tls';
import type { Clock } from '../../shared/clock.ts';
import { hostsFileText } from '../hosts/mounted-hosts.ts';
import type { Vendor } from '../vendors.ts';
import type { EnvironmentVariables } from './environment.ts';
import { javaArgumentsText } from './java-variables.ts';
import { makeProcessIdentity, ownerProcessFileName, removeLeftovers } from './leftovers.ts';
import { createTrustStore } from './trust-store.ts';

/** Environment variables that each name a file. A program trusts only the certificates in that file. */
const bundleVariables = ['SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'] as const;

const prefix = 'pinpad-as-';

type FileName =
  | typeof ownerProcessFileName
  | 'authority.pem'
  | 'node.pem'
  | 'roots.pem'
  | 'roots.jks'
  | 'java.args'
  | 'hosts';

/**
 * Makes a folder with the files that the environment variables name, and with the hosts file. The folder contains no
 * key.
 */
export class RedirectionFiles {
  readonly folder: string;
  readonly #remove = () => rmSync(this.folder, { recursive: true, force: true });

  constructor(authorityPem: string, vendor: Vendor, environment: EnvironmentVariables, clock: Clock) {
    removeLeftovers(tmpdir(), prefix);
    // mkdtemp makes the folder with mode 0700. If the process ends without calling `close`, the folder is removed too.
    this.folder = mkdtempSync(join(tmpdir(), prefix));
    process.once('exit', this.#remove);
    this.#write(ownerProcessFileName, makeProcessIdentity());
    const before = bundleVariables.flatMap((name) => certificatesIn(environment[name]));
    const believed = unique([...rootCertificates, ...getCACertificates('system'), ...before, authorityPem]);
    this.#write('authority.pem', authorityPem);
    this.#write('node.pem', [...certificatesIn(environment.NODE_EXTRA_CA_CERTS), authorityPem].join('\n'));
    this.#write('roots.pem', believed.join('\n'));
    this.#write('roots.jks', createTrustStore(believed.map(derOf), clock.now()));
    this.#write('java.args', javaArgumentsText(vendor));
    // the command may start programs that run as other users, and these programs must be able to read this file
    this.#write('hosts', hostsFileText(vendor), 0o644);
  }

  pathOf(name: FileName): string {
    return join(this.folder, name);
  }

  /** The variables that tell programs which certificates to trust. */
  get variables(): Record<string, string> {
    return Object.fromEntries(bundleVariables.map((name) => [name, this.pathOf('roots.pem')]));
  }

  close(): void {
    process.off('exit', this.#remove);
    this.#remove();
  }

  #write(name: FileName, content: string | Buffer, mode = 0o600): void {
    writeFileSync(this.pathOf(name), content, { mode });
  }
}

/**
 * Returns the certificates in a file, or in all files of a folder. If the file cannot be read, returns none, because
 * the command could not read the file either.
 */
function certificatesIn(path: string | undefined): string[] {
  if (!path) return [];
  try {
    if (statSync(path).isDirectory())
      return readdirSync(path).flatMap((name) => certificatesIn(join(path, name)));
    const text = readFileSync(path, 'utf8');
    return text.match(/-----BEGIN (TRUSTED )?CERTIFICATE-----[^-]+-----END \1?CERTIFICATE-----/g) ?? [];
  } catch {
    return [];
  }
}

function unique(certificates: readonly string[]): string[] {
  const byContent = new Map(certificates.map((pem) => [derOf(pem).toString('base64'), pem.trim()]));
  return [...byContent.values()];
}

function derOf(pem: string): Buffer {
  return Buffer.from(pem.replace(/-----[^-]+-----/g, ''), 'base64');
}
