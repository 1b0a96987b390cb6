import {
  type KeyedCertificate,
  makeCertificateAuthority,
} from '../shared/certificates/certificate-authority.ts';
import type { Clock } from '../shared/clock.ts';
import type { Random } from '../shared/random.ts';
import { Front, type FrontCounts, type GatewayAddress } from './front/front.ts';
import { ConnectProxy } from './proxy/connect-proxy.ts';
import { usersProxy } from './proxy/users-proxy.ts';
import { CertificateFiles } from './variables/certificate-files.ts';
import type { EnvironmentVariables } from './variables/environment.ts';
import { hasOwnProxy, hasOwnTrustStore, javaVariables } from './variables/java-variables.ts';
import { nodeVariables } from './variables/node-variables.ts';
import { proxyVariables } from './variables/proxy-variables.ts';
import { isLed, type Vendor } from './vendors.ts';

interface LeadingOptions {
  readonly vendor: Vendor;
  /** The variables that commands would have without it. */
  readonly environment: EnvironmentVariables;
  /** Real time: certificates are checked by others' clocks. */
  readonly clock: Clock;
  /** Unpredictable: passwords and certificates come of it. */
  readonly random: Random;
}

/** As long as a command may reasonably run. */
const days = 30;

/** Leads the calls that commands make of a vendor's hosts to gateways here. Its authority is this process's alone. */
export class Leading {
  readonly #options: LeadingOptions;
  readonly #certificate: KeyedCertificate;
  readonly #files: CertificateFiles;
  readonly #led = new Set<Led>();

  private constructor(options: LeadingOptions, certificate: KeyedCertificate, files: CertificateFiles) {
    this.#options = options;
    this.#certificate = certificate;
    this.#files = files;
  }

  static async start(options: LeadingOptions): Promise<Leading> {
    const { vendor, environment, clock } = options;
    const authority = await makeCertificateAuthority(
      { name: `pinpad as ${vendor.name}, for one command`, domains: [vendor.domain], days },
      options,
    );
    const [commonName = ''] = vendor.hosts;
    const certificate = authority.issue({ commonName, names: vendor.hosts, days });
    return new Leading(
      options,
      certificate,
      new CertificateFiles(authority.certificatePem, vendor, environment, clock),
    );
  }

  /**
   * Leads to one gateway, or to whichever `target` names when a call comes: several may be led at a time, each elsewhere.
   *
   * @throws StartError if the port is taken, or wants more rights
   */
  async lead(target: GatewayAddress, port?: number): Promise<Led> {
    const { vendor, environment, clock, random } = this.#options;
    const front = new Front(this.#certificate, target);
    await front.listen(port);
    const frontPort = front.port;
    const proxy = new ConnectProxy({
      ...{ isLed: (host: string, port: number) => isLed(vendor, host, port), front },
      ...{ proxies: usersProxy(environment), clock, random },
    });
    await proxy.listen();
    const files = this.#files;
    const variables = {
      ...nodeVariables(environment, { vendor, frontPort, certificates: files.pathOf('node.pem') }),
      ...proxyVariables(environment, { vendor, proxyUrl: proxy.url }),
      ...files.variables,
      ...javaVariables(environment, {
        proxyPort: proxy.port,
        trustStore: files.pathOf('roots.jks'),
        argumentsFile: files.pathOf('java.args'),
      }),
    };
    const close = async () => {
      proxy.close();
      this.#led.delete(led);
      await front.close();
    };
    const led: Led = { variables, notes: notesOn(environment), counts: front.counts, close };
    this.#led.add(led);
    return led;
  }

  /** The authority's certificate, for programs that are told by hand what to believe. */
  get authorityFile(): string {
    return this.#files.pathOf('authority.pem');
  }

  /** What takes the place of the machine's hosts file for programs that heed no variable. */
  get hostsFile(): string {
    return this.#files.pathOf('hosts');
  }

  async close(): Promise<void> {
    this.#files.close();
    await Promise.all(Array.from(this.#led, (led) => led.close()));
  }
}

/** What leads one command. */
export interface Led {
  /** Set these for the command, over those that it would have. */
  readonly variables: Readonly<Record<string, string>>;
  /** What of the variables that are set already is not kept, in sentences. */
  readonly notes: readonly string[];
  readonly counts: Readonly<FrontCounts>;
  /** Cuts off what is still connected; the counts are final then. */
  close(): Promise<void>;
}

function notesOn(environment: EnvironmentVariables): string[] {
  const notes: string[] = [];
  const all = environment.all_proxy || environment.ALL_PROXY;
  if (hasOwnProxy(environment))
    notes.push('the options of Java name a proxy: programs in Java reach only the hosts that are led');
  if (hasOwnTrustStore(environment))
    notes.push(
      'the options of Java name a trust store: programs in Java have the usual certificates instead',
    );
  if (all && /^socks/i.test(all) && !environment.https_proxy && !environment.HTTPS_PROXY)
    notes.push('ALL_PROXY is not heeded: hosts that are not led are reached without it');
  return notes;
}
