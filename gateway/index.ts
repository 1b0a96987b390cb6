import { createRuntime } from '../shared/create-runtime.ts';
import type { Finding } from '../shared/lint/finding.ts';
import { mayRetryImport } from '../shared/may-retry-import.ts';
import { IdentifierGenerator } from '../shared/random.ts';
import type { Runtime } from '../shared/runtime.ts';
import { EndableRuntime } from '../shared/runtime-life.ts';
import { StartError } from '../shared/start-error.ts';
import { LinkServer } from '../shared/transport/link-server.ts';
import { makeSecret } from './accounts/secret.ts';
import type { Cluster, ClusterOptions } from './cluster/cluster.ts';
import { makeConsoleLink, openConsole } from './console/console.ts';
import type { ConsoleSuppliedParts } from './console/console-parts.ts';
import { CrashRestarter } from './crash-restarter.ts';
import type { DialectOptions } from './dialects/dialect-options.ts';
import { listDialects, openAdyenLocalListener } from './dialects/dialects.ts';
import { loneGatewayCopyUpdater } from './engine/memory-copies.ts';
import { FindingReporter } from './findings/finding-reporter.ts';
import type { RateLimit } from './http/rate-limit.ts';
import { HttpServer, type HttpServerOptions } from './http/server.ts';
import { GatewayMomentPlans } from './moments/gateway-moments.ts';
import type { FolderCopyOptions, FolderCopySummary } from './move-data.ts';
import { makeOpenapiEndpoint } from './openapi-endpoint.ts';
import { nonControlEndpointMakers } from './resources.ts';
import { SecretBeliefPaths } from './sales/beliefs.ts';
import { endDeliveries, openServices, type ServiceOptions, type Services, stopServices } from './services.ts';
import { openConfiguredStore } from './store/open-data.ts';
import { agreeOnSecrets } from './store/shared-secrets.ts';
import type { GatewayStore } from './store/store.ts';

export { StartError } from '../shared/start-error.ts';
export { isNatsAddress, parseNatsHosts } from './cluster/hints/nats-address.ts';
export type {
  ConsoleLastExploration,
  ConsoleScenarioRuns,
  ConsoleSuppliedParts,
  ConsoleWedgeReaders,
} from './console/console-parts.ts';
export { type EventType, eventDescriptions } from './events/schemas.ts';
export { ApiError } from './http/errors.ts';
export { testCardIds } from './saved-cards/test-cards.ts';
export { databaseHostAndNameText } from './store/open-data.ts';
export { agreeOnSecrets } from './store/shared-secrets.ts';
export { addressRulesSchema, isLoopback, makeDefaultAddressRules } from './webhooks/addresses.ts';
export { webhookInputSchema } from './webhooks/schemas.ts';
export { makeSignedEventMessage } from './webhooks/signature.ts';

export interface GatewayOptions extends Omit<ServiceOptions, 'console' | 'cluster' | 'moments' | 'reporter'> {
  /** The parts of a console in the browser. If they are absent, there is no console. */
  console?: ConsoleSuppliedParts;
  /** The port. If it is absent or 0, a free port is used. */
  port?: number;
  /** The folder with the database file. A missing folder is made. Without a folder, the data is kept in memory. */
  dataFolder?: string;
  /**
   * True if the file credentials.json in the folder notes that the folder had data. The gateway then does not start if
   * the data is missing now.
   */
  hadData?: boolean;
  /**
   * The URL of a PostgreSQL database that has the data instead of the folder. It cannot be used with a virtual clock.
   */
  database?: string;
  /** The settings of a gateway that shares its database with other gateways. */
  cluster?: ClusterOptions;
  /** The token of the control API. If it is absent, the gateway makes a token. */
  controlToken?: string;
  rateLimit?: RateLimit;
  /** The APIs of other vendors that the gateway serves in addition to its own API. By default there are none. */
  dialects?: DialectOptions;
}

/** A running gateway with its addresses. Programs that embed the gateway can also use its services. */
export interface Gateway extends Readonly<Services> {
  readonly url: string;
  readonly controlToken: string;
  /**
   * The address at which the terminals themselves serve Adyen's API. Clients must trust the certificate in
   * `authorityFile`.
   */
  readonly local: { readonly url: string; readonly authorityFile: string } | undefined;
  /** Makes a link with which a browser can sign in to the console once; undefined if there is no console. */
  consoleLink(): string | undefined;
  /**
   * Gives the address to which a driver sends what the POS of this account believes about its sales. The driver needs
   * no control token for this (B243).
   */
  beliefsUrl(accountId: string): string;
  /** Gives the OpenAPI document in the form in which GET /openapi.json serves it. */
  openapi(): Promise<object>;
  /**
   * Reports the mistakes that POS systems make. If several mistakes have the same cause, calls `listener` only once. If
   * the gateway crashes and starts again within its process, `listener` is not called again for the same causes.
   * Returns a function that ends these calls.
   */
  onFinding(listener: (finding: Finding) => void): () => void;
  /**
   * Some requests belong to no sale, so no sale shows the mistakes in these requests. Calls `listener` with each such
   * mistake. `listener` is called only while there is also a listener to sales.
   */
  onFindingWithoutSale(listener: (finding: Finding) => void): () => void;
  /**
   * Answers open requests (B69), closes the connections, and releases the port and the file. A second call of this
   * function waits for the first call.
   */
  close(): Promise<void>;
}

/**
 * These modules are loaded late. Most gateways need neither the endpoints of the control API nor the description of
 * all endpoints.
 */
const loadControl = () => import('./control/endpoints.ts');
const loadOpenapi = () => import('./openapi.ts');

/** Gives the OpenAPI 3.1 document in the form in which a gateway at `url` serves it. */
export async function loadOpenapiDocument(url?: string): Promise<object> {
  return (await loadOpenapi()).makeGatewayOpenapiDocument(url);
}

/**
 * Starts a gateway. The gateway continues the work that an earlier gateway left open in the same folder.
 *
 * @throws StartError with one line, for example if the port is taken, or the folder cannot be written or belongs to
 * another gateway
 * @example
 * const gateway = await createGateway({}, createRuntime());
 * console.log(`${gateway.url}/openapi.json`);
 * await gateway.close();
 */
export async function createGateway(
  options: GatewayOptions = {},
  runtime: Runtime = createRuntime(),
): Promise<Gateway> {
  if (options.database === undefined && options.cluster?.nats !== undefined)
    throw new StartError(
      'the setting "nats" is only for gateways that share a PostgreSQL database: leave out "nats", or set "database" too',
    );
  const moments = new GatewayMomentPlans(runtime);
  const beliefs = new SecretBeliefPaths(runtime);
  const reporter = new FindingReporter();
  const life = canCrash(options) ? new EndableRuntime(runtime) : undefined;
  const lifeRuntime = life?.runtime ?? runtime;
  const store = await openConfiguredStore(options, lifeRuntime);
  let cluster: Cluster | undefined;
  try {
    cluster = await clusterOf(options, lifeRuntime, store);
    const shared = cluster ? sharedTime(lifeRuntime, cluster) : lifeRuntime;
    const controlToken = options.controlToken ?? (await madeControlToken(options, lifeRuntime, store));
    void cluster?.compareControlTokens(controlToken);
    const withToken = { ...options, controlToken };
    const kept = { runtime, moments, beliefs, reporter, life };
    const services = await openOn(store, shared, withToken, kept, cluster);
    return await serve(withToken, services, kept);
  } catch (error) {
    await cluster?.close();
    await store.close();
    throw error;
  }
}

/** All gateways of a PostgreSQL database use the same control token. */
async function madeControlToken({ database }: GatewayOptions, { random }: Runtime, store: GatewayStore) {
  const control = makeSecret(random, 'control_');
  return database === undefined ? control : (await agreeOnSecrets(store, { control })).control;
}

/** The code for several gateways is loaded only if the data is in a PostgreSQL database. */
async function clusterOf({ database, cluster }: GatewayOptions, runtime: Runtime, store: GatewayStore) {
  if (database === undefined) return undefined;
  const { openCluster } = await import('./cluster/cluster.ts');
  return openCluster(runtime, store, cluster);
}

/**
 * If several gateways share a database, they use the database's clock. They ignore the clocks of their own machines.
 */
function sharedTime(runtime: Runtime, { clock }: Cluster): Runtime {
  runtime.journal.goBy(clock);
  return { ...runtime, clock, identifiers: new IdentifierGenerator(clock, runtime.random) };
}

/** The first life of the gateway, and the parts that the lives share. A gateway begins a new life after a crash. */
interface SharedByLives {
  runtime: Runtime;
  moments: GatewayMomentPlans;
  beliefs: SecretBeliefPaths;
  reporter: FindingReporter;
  life: EndableRuntime | undefined;
}

async function serve(
  options: GatewayOptions & { controlToken: string },
  first: Services,
  kept: SharedByLives,
): Promise<Gateway> {
  const { host = '127.0.0.1', port = 0, controlToken, dataFolder } = options;
  const serving = (services: Services) => servingOf(options, services, openapi);
  const openapi = () => loadOpenapiDocument(lives.now.address.url);
  let local: Served['local'];
  const http = new HttpServer(serving(first), first.runtime);
  const links = new LinkServer(http.server, first.runtime);
  const ports = {
    die() {
      http.die();
      local?.die();
    },
    begin(services: Services, runtime: Runtime) {
      http.begin(serving(services), runtime);
      local?.begin(services, runtime);
    },
  };
  // After a crash, the gateway opens the same file and all services again.
  const open = async (life: EndableRuntime) => {
    const store = await openConfiguredStore({ ...options, hadData: true }, life.runtime);
    return openOn(store, life.runtime, options, { ...kept, life });
  };
  const lives = new CrashRestarter({ ...kept, http: ports, links, open }, first);
  try {
    const common = (services: Services) => commonOf(options, services);
    local = await openAdyenLocalListener(options.dialects ?? {}, { folder: dataFolder, common }, first);
    if (!mayRetryImport()) await Promise.all([loadControl(), loadOpenapi()]);
    await local?.listen(host);
    ({ url: first.address.url } = await http.listen(host, port));
  } catch (error) {
    stopServices(first);
    await local?.close();
    await endDeliveries(first);
    throw error;
  }
  let closing: Promise<void> | undefined;
  return withServices(lives, {
    url: first.address.url,
    controlToken,
    local: local && { url: local.url, authorityFile: local.authorityFile },
    beliefsUrl: (accountId) => first.address.url + lives.now.beliefs.pathOf(accountId),
    consoleLink: () => lives.now.console && makeConsoleLink(lives.now.console, first.address.url).url,
    openapi,
    onFinding: (listener) => kept.reporter.listen(listener),
    onFindingWithoutSale: (listener) =>
      kept.reporter.listen((finding, request) => {
        if (request && !lives.now.sales.hasSaleOf(request)) listener(finding);
      }),
    close: () => {
      closing ??= closeServed({ lives, http, links, local });
      return closing;
    },
  });
}

interface Served {
  lives: CrashRestarter;
  http: HttpServer;
  links: LinkServer;
  local: Awaited<ReturnType<typeof openAdyenLocalListener>>;
}

async function closeServed({ lives, http, links, local }: Served): Promise<void> {
  const services = await lives.last();
  const localClosed = local?.close();
  await http.close({
    close: () => {
      stopServices(services);
      links.close();
    },
    terminate: () => links.terminate(),
  });
  await localClosed;
  await endDeliveries(services);
  await services.journal.leave?.();
  await services.cluster?.close();
  await services.store.close();
}

/** Defines a property of the gateway for each service. After a restart, the property returns the new service. */
function withServices(lives: CrashRestarter, own: Omit<Gateway, keyof Services>): Gateway {
  const services = Object.fromEntries(
    Object.keys(lives.now).map((name) => [
      name,
      { enumerable: true, get: () => lives.now[name as keyof Services] },
    ]),
  );
  return Object.defineProperties(own, services) as Gateway;
}

function servingOf(
  options: GatewayOptions & { controlToken: string },
  services: Services,
  openapi: () => Promise<object>,
): HttpServerOptions {
  const { controlToken, dialects: dialectOptions = {} } = options;
  const { tokens, console } = services;
  const control = async () => {
    const { controlEndpointMakers } = await loadControl();
    return controlEndpointMakers.map((resource) => resource(services));
  };
  return {
    resources: [
      ...nonControlEndpointMakers.map((resource) => resource(services)),
      [makeOpenapiEndpoint(openapi)],
    ],
    control,
    dialects: listDialects(services, dialectOptions),
    authenticate: (header) => tokens.authenticate(header),
    controlToken,
    admits: console && ((request) => console.access.admits(request)),
    ...commonOf(options, services),
  };
}

/** Gives the options that all ports of the gateway share. */
function commonOf({ rateLimit }: GatewayOptions, { cluster, faults }: Services) {
  const withOthers = cluster && { others: cluster.feed, countTogether: cluster.countTogether };
  return { rateLimit, faults, ...withOthers };
}

/**
 * Returns whether the gateway can crash and start again within its process. After a crash it finds its data again only
 * in a file that no other process uses (B282).
 */
function canCrash({ dataFolder, database }: GatewayOptions): boolean {
  return dataFolder !== undefined && database === undefined;
}

/** Opens the console and all services for one life of the gateway. The services use the data in `store`. */
async function openOn(
  store: GatewayStore,
  runtime: Runtime,
  options: GatewayOptions & { controlToken: string },
  { moments, beliefs, reporter, life }: SharedByLives,
  cluster?: Cluster,
): Promise<Services> {
  const { controlToken } = options;
  const clock = cluster?.clock ?? runtime.realClock;
  const sources = { runtime, store, clock, copies: cluster?.feed ?? loneGatewayCopyUpdater, controlToken };
  const console = options.console && (await openConsole(sources, options.console));
  const ofThisLife = { console, cluster, beliefs, reporter, moments: moments.inLife(life) };
  return openServices(runtime, store, { ...options, ...ofThisLife });
}

/**
 * Copies the data of a folder into a PostgreSQL database.
 *
 * @throws StartError if the copy cannot begin
 */
export async function copyFolderToPostgres(options: FolderCopyOptions): Promise<FolderCopySummary> {
  return (await import('./move-data.ts')).copyFolderToPostgres(options);
}
