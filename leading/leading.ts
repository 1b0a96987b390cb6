import {
  type KeyedCertificate,
  makeCertificateAuthority,
} from '../shared/certificates/certificate-authority.ts';
import type { Clock } from '../shared/clock.ts';
import type { Random } from '../shared/random.ts';
import { type GatewayAddressGetter, VendorServer, type VendorServerCounts } from './front/vendor-server.ts';
import { ConnectProxy } from './proxy/connect-proxy.ts';
import { createUsersProxyFinder } from './proxy/users-proxy.ts';
import { RedirectionFiles } from './variables/certificate-files.ts';
import type { EnvironmentVariables } from './variables/environment.ts';
import { hasUserJavaProxy, hasUserJavaTrustStore, makeJavaVariables } from './variables/java-variables.ts';
import { makeNodeVariables } from './variables/node-variables.ts';
import { makeProxyVariables } from './variables/proxy-variables.ts';
import { isVendorAddress, type Vendor } from './vendors.ts';

interface LeadingOptions {
  readonly vendor: Vendor;
  /** The environment variables that commands would have without pinpad. */
  readonly environment: EnvironmentVariables;
  /** A clock of real time, because other programs compare the dates of certificates with real time. */
  readonly clock: Clock;
  /** Random numbers that cannot be predicted, because passwords and keys are made from them. */
  readonly random: Random;
}

/** The number of days for which a certificate is valid. No command should run longer than this. */
const days = 30;

/**
 * Redirects the calls that commands make to a vendor's hosts. The calls go to gateways that belong to the user of this
 * process. Only this process has the key of the authority that issues the certificates.
 */
export class VendorRedirection {
  readonly #options: LeadingOptions;
  readonly #certificate: KeyedCertificate;
  readonly #files: RedirectionFiles;
  readonly #redirections = new Set<CommandRedirection>();

  private constructor(options: LeadingOptions, certificate: KeyedCertificate, files: RedirectionFiles) {
    this.#options = options;
    this.#certificate = certificate;
    this.#files = files;
  }

  static async start(options: LeadingOptions): Promise<VendorRedirection> {
    const { vendor, environment, clock } = options;
    const authority = await makeCertificateAuthority(
      { name: `pinpad as ${vendor.name}, for one command`, domains: [vendor.domain], days },
      options,
    );
    const [commonName = ''] = vendor.hosts;
    const certificate = authority.issue({ commonName, names: vendor.hosts, days });
    return new VendorRedirection(
      options,
      certificate,
      new RedirectionFiles(authority.certificatePem, vendor, environment, clock),
    );
  }

  /**
   * Redirects the calls of one command to a gateway. Each call goes to the address that `target` returns when the call
   * arrives. Call this method once for each command. Each command can have a different gateway.
   *
   * @throws StartError if the port is taken, or if listening on it needs more rights
   */
  async lead(target: GatewayAddressGetter, port?: number): Promise<CommandRedirection> {
    const { vendor, environment, clock, random } = this.#options;
    const vendorServer = new VendorServer(this.#certificate, target);
    await vendorServer.listen(port);
    const serverPort = vendorServer.port;
    const proxy = new ConnectProxy({
      ...{ isRedirected: (host: string, port: number) => isVendorAddress(vendor, host, port), vendorServer },
      ...{ proxies: createUsersProxyFinder(environment), clock, random },
    });
    await proxy.listen();
    const files = this.#files;
    const variables = {
      ...makeNodeVariables(environment, { vendor, serverPort, certificates: files.pathOf('node.pem') }),
      ...makeProxyVariables(environment, { vendor, proxyUrl: proxy.url }),
      ...files.variables,
      ...makeJavaVariables(environment, {
        proxyPort: proxy.port,
        trustStore: files.pathOf('roots.jks'),
        argumentsFile: files.pathOf('java.args'),
      }),
    };
    const close = async () => {
      proxy.close();
      this.#redirections.delete(redirection);
      await vendorServer.close();
    };
    const redirection: CommandRedirection = {
      variables,
      notes: notesOn(environment),
      counts: vendorServer.counts,
      close,
    };
    this.#redirections.add(redirection);
    return redirection;
  }

  /**
   * The file with the authority's certificate. Some programs trust the authority only after a person has configured
   * them to do so.
   */
  get authorityFile(): string {
    return this.#files.pathOf('authority.pem');
  }

  /** The file that replaces the machine's hosts file, for programs that ignore the environment variables. */
  get hostsFile(): string {
    return this.#files.pathOf('hosts');
  }

  async close(): Promise<void> {
    this.#files.close();
    await Promise.all(Array.from(this.#redirections, (redirection) => redirection.close()));
  }
}

/** The redirection of one command's calls. */
export interface CommandRedirection {
  /**
   * The variables to set for the command. They override variables of the same name that the command has without pinpad.
   */
  readonly variables: Readonly<Record<string, string>>;
  /** Messages about the user's own settings that have no effect on the command, such as a proxy for Java. */
  readonly notes: readonly string[];
  readonly counts: Readonly<VendorServerCounts>;
  /** Cuts off the open connections. After that, the counts no longer change. */
  close(): Promise<void>;
}

function notesOn(environment: EnvironmentVariables): string[] {
  const notes: string[] = [];
  const all = environment.all_proxy || environment.ALL_PROXY;
  if (hasUserJavaProxy(environment))
    notes.push('your Java options name a proxy, so programs in Java reach only the redirected hosts');
  if (hasUserJavaTrustStore(environment))
    notes.push(
      'your Java options name a trust store, but programs in Java get the usual certificates instead',
    );
  if (all && /^socks/i.test(all) && !environment.https_proxy && !environment.HTTPS_PROXY)
    notes.push('ALL_PROXY is ignored: hosts that are not redirected are reached without this proxy');
  return notes;
}
