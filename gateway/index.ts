import type { IncomingMessage } from 'node:http';
import { createRuntime } from '../shared/create-runtime.ts';
import type { Runtime } from '../shared/runtime.ts';
import { LinkServer } from '../shared/transport/link-server.ts';
import { makeSecret } from './accounts/secret.ts';
import { consoleLink, openConsole } from './console/console.ts';
import type { ConsoleParts } from './console/console-parts.ts';
import type { RateLimit } from './http/rate-limit.ts';
import { HttpServer } from './http/server.ts';
import { allResources, openapiDocument } from './openapi.ts';
import { endDeliveries, openServices, type ServiceOptions, type Services, stopServices } from './services.ts';
import { openData } from './store/open-data.ts';

export { StartError } from '../shared/start-error.ts';
export type { ConsoleParts, ConsoleScenarios, ConsoleWedge } from './console/console-parts.ts';
export { type EventType, eventDescriptions } from './events/schemas.ts';
export { ApiError } from './http/errors.ts';
export { openapiDocument } from './openapi.ts';
export { addressRules, defaultAddressRules, isLoopback } from './webhooks/addresses.ts';
export { webhookInput } from './webhooks/schemas.ts';
export { signedMessage } from './webhooks/signature.ts';

export interface GatewayOptions extends Omit<ServiceOptions, 'console'> {
  /** What a console in the browser is made of; without it there is none. */
  console?: ConsoleParts;
  /** 0 or absent takes any free port. */
  port?: number;
  /** Folder of the database file, created if it does not exist. Absent: the data is kept in memory. */
  dataFolder?: string;
  /** The URL of a PostgreSQL database that has the data in place of the folder; not with a virtual clock. */
  database?: string;
  /** Guards /control; made when absent. */
  controlToken?: string;
  rateLimit?: RateLimit;
}

/** A running gateway: its services, for programs that embed it, and where it listens. */
export interface Gateway extends Readonly<Services> {
  readonly url: string;
  readonly controlToken: string;
  /** A link that signs a browser in to the console once; undefined where there is none. */
  consoleLink(): string | undefined;
  /** The OpenAPI document as GET /openapi.json serves it. */
  openapi(): object;
  /** Answers open requests (B69), ends the links and releases port and file. A second call waits for the first. */
  close(): Promise<void>;
}

/**
 * Starts a gateway. It continues what an earlier one left open in the same folder.
 *
 * @throws StartError with one line: the port is taken, the folder cannot be written, or folder or database is another
 * gateway's.
 * @example
 * const gateway = await createGateway({}, createRuntime());
 * console.log(`${gateway.url}/openapi.json`);
 * await gateway.close();
 */
export async function createGateway(
  options: GatewayOptions = {},
  runtime: Runtime = createRuntime(),
): Promise<Gateway> {
  const store = await openData(options, runtime);
  try {
    const { controlToken = makeSecret(runtime.random, 'control_') } = options;
    const console = options.console && openConsole(runtime, options.console, { ...options, controlToken });
    const services = await openServices(runtime, store, { ...options, console });
    return await serve({ ...options, controlToken }, services);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function serve(
  options: GatewayOptions & { controlToken: string },
  services: Services,
): Promise<Gateway> {
  const { runtime, store, address, faults, tokens, poi, emulators, console } = services;
  const { host = '127.0.0.1', port = 0, rateLimit, controlToken } = options;
  const resources = allResources(services);
  const authenticate = (header: string | undefined) => tokens.authenticate(header);
  const admits = console && ((request: IncomingMessage) => console.access.admits(request));
  const http = new HttpServer({ resources, authenticate, controlToken, admits, rateLimit, faults }, runtime);
  const links = new LinkServer(http.server, runtime);
  links.serve('/poi', poi);
  links.serve('/emulator', emulators);
  try {
    ({ url: address.url } = await http.listen(host, port));
  } catch (error) {
    stopServices(services);
    await endDeliveries(services);
    throw error;
  }
  let closing: Promise<void> | undefined;
  const close = async () => {
    await http.close({
      close: () => {
        stopServices(services);
        links.close();
      },
      terminate: () => links.terminate(),
    });
    await endDeliveries(services);
    await store.close();
  };
  return {
    ...services,
    url: address.url,
    controlToken,
    consoleLink: () => console && consoleLink(console, address.url).url,
    openapi: () => openapiDocument(address.url),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
