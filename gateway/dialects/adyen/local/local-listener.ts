import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoize } from '../../../../shared/memoize.ts';
import type { Runtime } from '../../../../shared/runtime.ts';
import { HttpServer, type HttpServerOptions } from '../../../http/server.ts';
import type { Services } from '../../../services.ts';
import type { LocalApiOptions } from '../../dialect-options.ts';
import { makeLocalAdyenDialect } from './local-api.ts';
import { makeTerminalCertificate } from './local-authority.ts';

/** The parts of the gateway that the port needs. */
export interface LocalListenerParts {
  /**
   * The folder for the authority's files. If it is undefined, a temporary folder is used. The temporary folder is
   * removed when the port is closed.
   */
  readonly folder: string | undefined;
  /** Gives the options that all ports of a gateway share. */
  common(services: Services): Pick<HttpServerOptions, 'rateLimit' | 'countTogether' | 'faults' | 'others'>;
}
type ListenerOptions = LocalApiOptions & LocalListenerParts;

/** The port at which all terminals can be reached over TLS. A real terminal has such a port on its own network. */
export class LocalListener {
  readonly #options: ListenerOptions;
  readonly #http: HttpServer;
  readonly #temporary: string | undefined;
  /** The file with the certificate that clients of this port must trust. */
  readonly authorityFile: string;
  /** The URL at which clients reach this port. It is set by {@link listen}. */
  url = '';

  private constructor(
    options: ListenerOptions,
    http: HttpServer,
    kept: { authorityFile: string; temporary: string | undefined },
  ) {
    this.#options = options;
    this.#http = http;
    this.#temporary = kept.temporary;
    this.authorityFile = kept.authorityFile;
  }

  /** @throws StartError if the certificate authority cannot be stored */
  static async open(options: ListenerOptions, services: Services): Promise<LocalListener> {
    const temporary = options.folder === undefined ? mkdtempSync(join(tmpdir(), 'pinpad-')) : undefined;
    try {
      const { runtime } = services;
      const folder = options.folder ?? (temporary as string);
      const { server, authorityFile } = await makeTerminalCertificate(folder, runtime);
      const http = new HttpServer({ ...servingOf(options, services), tls: server }, runtime);
      return new LocalListener(options, http, { authorityFile, temporary });
    } catch (error) {
      remove(temporary);
      throw error;
    }
  }

  /** @throws StartError if the port is taken */
  async listen(host: string): Promise<void> {
    this.url = `${(await this.#http.listen(host, this.#options.port)).url}/nexo/`;
  }

  die(): void {
    this.#http.die();
  }

  begin(services: Services, runtime: Runtime): void {
    this.#http.begin(servingOf(this.#options, services), runtime);
  }

  async close(): Promise<void> {
    await this.#http.close();
    remove(this.#temporary);
  }
}

function servingOf({ keys, common }: ListenerOptions, services: Services): HttpServerOptions {
  const open = memoize(async () => makeLocalAdyenDialect(services, keys));
  return {
    resources: [],
    dialects: [{ has: () => true, open, whenOff: '' }],
    authenticate: async () => undefined,
    ...common(services),
  };
}

function remove(folder: string | undefined): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}
