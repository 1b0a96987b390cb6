import { join } from 'node:path';
import {
  agreeOnSecrets,
  createGateway,
  databaseHostAndNameText,
  type Gateway,
  makeDefaultAddressRules,
  parseNatsHosts,
} from '../gateway/index.ts';
import { closeInOrder } from '../shared/close-in-order.ts';
import { createRuntime } from '../shared/create-runtime.ts';
import { prepareDataFolder } from '../shared/data-folder.ts';
import { toDataStartError } from '../shared/file-fault.ts';
import type { Runtime } from '../shared/runtime.ts';
import {
  describeReaderSpec,
  type Emulator,
  instantPacing,
  naturalPacing,
  startTerminalEmulator,
  type TuiWedge,
} from '../terminal-emulator/index.ts';
import { type AttachedReaders, attachReaders, findWantedReaders } from './attach-readers.ts';
import type { Config } from './config.ts';
import { type ConsoleExtras, consolePartsOf } from './console-parts.ts';
import { CredentialStore } from './credentials.ts';
import { demoAccounts } from './demo-accounts.ts';
import { isLocalOnly } from './is-local-only.ts';
import { findOrMakeSecrets, type ProvisionedResources, provisionAccounts } from './provision.ts';
import { slugify } from './slug.ts';
import { StartError } from './start-error.ts';
import { startTimeSkipping } from './start-time-skipping.ts';
import { createTuiWedge, findOrMakeFingerprintSecret } from './wedge.ts';

/** A gateway in this process, and its terminals if they run in this process too. */
export interface Stack extends ProvisionedResources {
  readonly url: string;
  readonly controlToken: string;
  readonly runtime: Runtime;
  readonly gateway: Gateway;
  readonly clock: Config['clock'];
  /** Whether the gateway also serves Adyen's Terminal API. */
  readonly adyen: boolean;
  readonly emulator: Emulator | undefined;
  /** For each account, the address at which a driver can state what the shop believes about its sales (B243). */
  readonly beliefs: readonly { account: string; url: string }[];
  /**
   * A text for people. It contains this gateway's name and the database that this gateway shares with other gateways.
   */
  readonly among: string | undefined;
  /**
   * The real card readers that the configuration or the command line names, each with its terminal. A reader may be
   * disconnected. The screen shows whether each reader answers.
   */
  readonly readers: readonly { poiId: string; reader: string }[];
  /** Turns text that comes from keyboard-wedge readers into swipes; undefined if wedge readers are switched off. */
  readonly wedge: TuiWedge | undefined;
  /** Ends the stack: answers open requests, finishes pending writes, and then releases the port and the files. */
  close(): Promise<void>;
}

export interface StackOptions {
  /** Whether terminals run in the same process as the gateway. */
  terminals: boolean;
  /** Real card readers, in addition to those of the configuration: `SPEC` or `POIID=SPEC` (docs/readers.md). */
  readers?: readonly string[];
  runtime?: Runtime;
  /** The parts of the console that a stack cannot provide itself. */
  console?: ConsoleExtras;
}

/**
 * Starts the gateway and the terminals that a configuration describes.
 *
 * @throws StartError with a message for the user, for example if the port is taken or the folder cannot be written
 *
 * @example
 * const stack = await startStack(resolveConfig(undefined, { port: 0, memory: true, pacing: 'instant' }));
 * await fetch(`${stack.url}/terminals`, { headers: { authorization: `Bearer ${stack.tokens[0]?.token}` } });
 * await stack.close();
 */
export async function startStack(config: Config, parts: StackOptions = { terminals: true }): Promise<Stack> {
  const readers = parts.terminals ? findWantedReaders(config, parts.readers ?? [], poiIdsOf(config)) : [];
  const runtime = parts.runtime ?? makeConfiguredRuntime(config);
  if (config.memory && config.database !== undefined)
    throw new StartError('the settings "memory" and "database" exclude each other: leave out one of them');
  if (config.seed !== undefined && config.database !== undefined)
    throw new StartError(
      'with a seed, all gateways of a database would make the same references and keys: leave out either seed or database',
    );
  const folder = config.memory ? undefined : prepareDataFolder(config.data, createJournalWarner(runtime));
  const unlock = config.database === undefined ? () => {} : await lockFolder(config.data);
  try {
    return await startParts({ config, parts, readers, runtime, folder, unlock });
  } catch (error) {
    unlock();
    throw toDataStartError(config.data, error) ?? error;
  }
}

interface StackSetup {
  config: Config;
  parts: StackOptions;
  readers: ReturnType<typeof findWantedReaders>;
  runtime: Runtime;
  folder: string | undefined;
  /** Releases the folder, so that another gateway can use the folder. */
  unlock: () => void;
}

async function startParts({ config, parts, readers, runtime, folder, unlock }: StackSetup): Promise<Stack> {
  const credentials = new CredentialStore(folder, runtime.random);
  const controlToken =
    config.controlToken ??
    (config.database === undefined ? credentials.secret('control', 'control_') : undefined);
  const fingerprints = readers.length > 0 ? findOrMakeFingerprintSecret(credentials) : '';
  let started: Stack | undefined;
  let emulator: Emulator | undefined;
  let attached: AttachedReaders | undefined;
  const console = consolePartsOf(config, () => started, parts.console);
  const gateway = await createGateway(
    { ...gatewayOptionsOf(config), controlToken, dataFolder: folder, hadData: credentials.hadData, console },
    runtime,
  );
  try {
    const accounts = config.accounts ?? demoAccounts;
    if (config.database === undefined) credentials.noteData();
    else credentials.adopt(await agreeOnSecrets(gateway.store, findOrMakeSecrets(accounts, credentials)));
    const provisioning = () => provisionAccounts(gateway, accounts, credentials);
    const { settled, ...provisioned } = await (gateway.cluster?.runExclusively(provisioning) ??
      provisioning());
    emulator = parts.terminals
      ? await startStackTerminals(config, gateway, provisioned, folder, runtime)
      : undefined;
    // The terminals must be announced before "ready" is printed, because a program may then use a terminal at once.
    await emulator?.announced;
    attached = emulator && (await attachReaders(readers, emulator, config, fingerprints, runtime));
    const wedge = emulator && attached && createTuiWedge(config, emulator, attached, credentials, runtime);
    const stopSkipping = startTimeSkipping(config, runtime, gateway.url);
    started = {
      ...provisioned,
      clock: config.clock,
      adyen: config.adyen !== false,
      url: gateway.url,
      controlToken: gateway.controlToken,
      runtime,
      gateway,
      emulator,
      beliefs: accounts.map(({ name }) => ({
        account: slugify(name),
        url: gateway.beliefsUrl(slugify(name)),
      })),
      among: amongGateways(config, gateway),
      readers: readers.map(({ poiId, spec }) => ({ poiId, reader: describeReaderSpec(spec) })),
      wedge,
      close: () =>
        closeInOrder(
          stopSkipping,
          () => attached?.close(),
          settled,
          () => gateway.close(),
          () => emulator?.close(),
          unlock,
        ),
    };
    if (started.among) runtime.journal.add('gateway.joined', { among: started.among });
    return started;
  } catch (error) {
    await Promise.allSettled([attached?.close(), gateway.close(), emulator?.close()]);
    throw error;
  }
}

function gatewayOptionsOf(config: Config) {
  const { host, port, database, rateLimit, publicUrl } = config;
  return {
    ...{ host, port, database, rateLimit, publicUrl },
    cluster: { nats: config.nats },
    webhookAddresses: addressesOf(config),
    lint: config.lint !== 'off',
    dialects: { adyen: config.adyen },
  };
}

/**
 * Returns a text such as `database db.example.com/pinpad · NATS nats.example.com · gateway host-17`, without users and
 * secrets.
 */
function amongGateways({ database, nats }: Config, { cluster }: Gateway): string | undefined {
  if (database === undefined || !cluster) return undefined;
  const hints = nats === undefined ? 'no NATS' : `NATS ${parseNatsHosts(nats)}`;
  return `database ${databaseHostAndNameText(database)} · ${hints} · gateway ${cluster.name}`;
}

/** Returns a function that adds a warning to the journal. The log shows warnings of the journal. */
export function createJournalWarner({ journal }: Runtime): (message: string) => void {
  return (message) => journal.add('warning', { message });
}

/**
 * Prevents two gateways from using the same folder. For data in SQLite, SQLite itself prevents this. But if the data
 * are in another database, the folder still contains the credentials.
 */
async function lockFolder(folder: string): Promise<() => void> {
  const { lockSqlite } = await import('../shared/database/sqlite-connection.ts');
  try {
    return lockSqlite(join(folder, 'gateway'));
  } catch (error) {
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw toDataStartError(folder, error) ?? error;
    throw new StartError(`another gateway uses ${folder}: give each gateway a folder of its own (--data)`);
  }
}

function poiIdsOf({ accounts = demoAccounts }: Config): string[] {
  return accounts.flatMap(({ stores }) =>
    stores.flatMap(({ terminals }) => terminals.map(({ poiId }) => poiId)),
  );
}

/** Makes the clock, the random numbers and the timeouts that a configuration describes. */
export function makeConfiguredRuntime(config: Config): Runtime {
  return createRuntime({
    clock: config.clock,
    timeScale: config.timeScale,
    seed: config.seed,
    timeouts: config.timeouts,
    journal: config.journal,
  });
}

/**
 * Returns the rules for the addresses of webhooks. The configuration's rules come first. The other rules depend on
 * whether only this machine can reach the gateway.
 */
function addressesOf(config: Config) {
  const { host, webhooks } = config;
  const usual = makeDefaultAddressRules(isLocalOnly(config) ? 'localhost' : host);
  return {
    allowPrivateNetworks: webhooks?.allowPrivateNetworks ?? usual.allowPrivateNetworks,
    allowedNetworks: webhooks?.allowedNetworks ?? usual.allowedNetworks,
    loopbackOnly: webhooks?.loopbackOnly ?? false,
  };
}

/** Returns the configured pacing. If time is virtual, reading a card takes no time by default. */
export function pacingOf(config: Config) {
  const pacing = config.pacing ?? (config.clock === 'real' ? 'natural' : 'instant');
  return pacing === 'instant' ? instantPacing : naturalPacing;
}

function startStackTerminals(
  config: Config,
  gateway: Gateway,
  provisioned: ProvisionedResources,
  folder: string | undefined,
  runtime: Runtime,
): Promise<Emulator> {
  return startTerminalEmulator(
    {
      gatewayUrl: gateway.url,
      terminals: provisioned.terminals.map(({ poiId, deviceKey, store, language }) => ({
        poiId,
        deviceKey,
        storeName: store,
        language,
      })),
      cards: config.cards,
      memory: folder === undefined ? ':memory:' : join(folder, 'terminals.sqlite'),
      pacing: pacingOf(config),
      ownLinks: config.ownLinks,
      shopper: config.shopper,
    },
    runtime,
  );
}
