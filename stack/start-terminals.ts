import { join } from 'node:path';
import { openDataFolder } from '../shared/data-folder.ts';
import type { Runtime } from '../shared/runtime.ts';
import { createEmulator, type Emulator, type TerminalSettings } from '../terminal-emulator/index.ts';
import { attachReaders, wantedReaders } from './attach-readers.ts';
import { controlOf, withGateway } from './call-control.ts';
import type { Config } from './config.ts';
import { Credentials } from './credentials.ts';
import { StartError } from './start-error.ts';
import { pacingOf, warningsOf } from './start-stack.ts';
import { fingerprintSecret } from './wedge.ts';

/** Where terminals of a process of their own dial, and which of them. */
export interface TerminalsWanted {
  gatewayUrl: string;
  /** Terminals that exist at the gateway, with their keys. */
  given: readonly TerminalSettings[];
  /** So many more are provisioned through the control API; they keep their keys in the data folder. */
  count: number;
  controlToken?: string;
  /** Real card readers: `SPEC`, at the first terminal, or `POIID=SPEC`. */
  readers?: readonly string[];
}

/**
 * Starts emulated terminals that dial a gateway anywhere.
 *
 * @throws StartError where terminals must be provisioned and the gateway does not let us.
 */
export async function startTerminals(
  wanted: TerminalsWanted,
  config: Config,
  runtime: Runtime,
): Promise<{
  emulator: Emulator;
  terminals: { poiId: string; identifier?: string }[];
  close(): Promise<void>;
}> {
  if (!config.memory) openDataFolder(config.data, warningsOf(runtime));
  const credentials = new Credentials(config.memory ? undefined : config.data, runtime.random);
  const made = wanted.count > 0 ? await provisionTerminals(wanted, credentials) : [];
  const terminals = [...wanted.given, ...made];
  const readers = wantedReaders(
    config,
    wanted.readers ?? [],
    terminals.map(({ poiId }) => poiId),
  );
  const fingerprints = readers.length > 0 ? fingerprintSecret(credentials) : '';
  credentials.save();
  const emulator = await createEmulator(
    {
      gatewayUrl: wanted.gatewayUrl,
      terminals,
      cards: config.cards,
      memory: config.memory ? ':memory:' : join(config.data, 'terminals.sqlite'),
      pacing: pacingOf(config),
      ownLinks: config.ownLinks,
      forwardJournal: true,
      shopper: config.shopper,
    },
    runtime,
  );
  const attached = await attachReaders(readers, emulator, config, fingerprints, runtime).catch(
    async (error) => {
      await emulator.close();
      throw error;
    },
  );
  return {
    emulator,
    terminals: [
      ...wanted.given.map(({ poiId }) => ({ poiId })),
      ...made.map(({ poiId, identifier }) => ({ poiId, identifier })),
    ],
    close: async () => {
      await attached.close();
      await emulator.close();
    },
  };
}

interface Made extends TerminalSettings {
  identifier: string;
}

async function provisionTerminals(wanted: TerminalsWanted, credentials: Credentials): Promise<Made[]> {
  const { gatewayUrl: url, controlToken } = wanted;
  if (!controlToken)
    throw new StartError('--count needs --control-token, or a gateway that runs on the data folder here');
  const control = controlOf({ url, controlToken });
  return withGateway({ url }, async () => {
    const [store] = await control.GET('/control/stores');
    if (!store) throw new StartError(`the gateway at ${url} has no store to put terminals in`);
    const made: Made[] = [];
    for (let number = 1; number <= wanted.count; number++) {
      const poiId = `V400m-${200_000_000 + number}`;
      const deviceKey = credentials.secret(`terminal ${poiId}`, 'dev_');
      const body = { poiId, storeId: store.id, deviceKey };
      const { id } = await control.POST('/control/terminals', { body });
      made.push({ poiId, deviceKey, identifier: id, storeName: store.name });
    }
    return made;
  });
}
