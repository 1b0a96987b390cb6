import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type KeyedCertificate,
  makeCertificateAuthority,
  restoreCertificateAuthority,
} from '../../../../shared/certificates/certificate-authority.ts';
import { writePrivateFile } from '../../../../shared/data-folder.ts';
import { makeCannotKeepDataError } from '../../../../shared/file-fault.ts';
import type { Runtime } from '../../../../shared/runtime.ts';
import { StartError } from '../../../../shared/start-error.ts';

/** The common name of the certificate. Adyen's clients accept this name for every terminal, and check no other name. */
const commonName = 'legacy-terminal-certificate.test.terminal.adyen.com';
const domain = 'test.terminal.adyen.com';
const authorityDays = 3_650;
/**
 * The number of days for which the certificate is valid. A gateway makes the certificate at its start. If the gateway
 * runs longer than this, it must be restarted.
 */
const serverDays = 398;

/** The port's certificate, and the file with the certificate of the authority that clients must trust. */
interface LocalIdentity {
  readonly server: KeyedCertificate;
  readonly authorityFile: string;
}

/**
 * Makes a certificate that is valid for all terminals. The authority in the folder signs it. The authority is made
 * only once, because tills have to trust it.
 *
 * @throws StartError if the authority cannot be stored, if the files in the folder contain no authority, or if the key of
 * the authority is missing
 */
export async function makeTerminalCertificate(
  folder: string,
  { realClock: clock, random }: Pick<Runtime, 'realClock' | 'random'>,
): Promise<LocalIdentity> {
  const authorityFile = join(folder, 'adyen-authority.pem');
  const keyFile = join(folder, 'adyen-authority-key.pem');
  const sources = { clock, random };
  if (existsSync(authorityFile) && !existsSync(keyFile))
    throw new StartError(
      `${keyFile} is missing: put the file back. If the file is lost, remove ${authorityFile}, so that pinpad makes a new certificate authority; your tills must then trust the new authority`,
    );
  try {
    if (!existsSync(authorityFile)) {
      const asked = { name: 'pinpad: terminals of this folder', domains: [domain], days: authorityDays };
      const made = await makeCertificateAuthority(asked, sources);
      writePrivateFile(keyFile, made.keyPem);
      writePrivateFile(authorityFile, made.certificatePem);
    }
    const kept = { certificatePem: text(authorityFile), keyPem: text(keyFile) };
    const authority = await restoreCertificateAuthority(kept, sources);
    const names = [commonName, `*.${domain}`];
    return { server: authority.issue({ commonName, names, days: serverDays }), authorityFile };
  } catch (error) {
    throw makeCannotKeepDataError(authorityFile, error);
  }
}

function text(file: string): string {
  return readFileSync(file, 'utf8');
}
