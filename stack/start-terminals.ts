import { join } from 'node:path';
import { openDataFolder } from '../shared/data-folder.ts';
import type { Runtime } from '../shared/runtime.ts';
import { createEmulator, type Emulator, type TerminalSettings } from '../terminal-emulator/index.ts';
import { attachReaders, wantedReaders } from './attach-readers.ts';
import type { Config } from './config.ts';
import { Credentials } from './credentials.ts';
import { StartError } from './start-error.ts';
import { pacingOf, warningsOf } from './start-stack.ts';

/** Where terminals of a process of their own dial, and which of them. */
export interface TerminalsWanted {
  gatewayUrl: string;
  /** Terminals that exist at the gateway, with their keys. */
  given: readonly TerminalSettings[];
  /** So many more are provisioned through the control API; they keep their keys in the data folder. */
  count: number;
  controlToken?: string | undefined;
  /** Real card readers: `SPEC`, at the first terminal, or `POIID=SPEC`. */
  readers?: readonly string[] | undefined;
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
  const fingerprints = readers.length > 0 ? credentials.secret('card fingerprints', 'fpr_') : '';
  credentials.save();
  const emulator = await createEmulator(
    {
      gatewayUrl: wanted.gatewayUrl,
      terminals,
      cards: config.cards,
      memory: config.memory ? ':memory:' : join(config.data, 'terminals.sqlite'),
      pacing: pacingOf(config),
      forwardJournal: true,
      ...(config.shopper ? { shopper: config.shopper } : {}),
    },
    runtime,
  );
  const attached = await attachReaders(readers, emulator, config, fingerprints, runtime);
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
  const ask = asker(wanted);
  const [store] = await ask<{ id: string; name: string }[]>('GET', '/control/stores');
  if (!store) throw new StartError(`the gateway at ${wanted.gatewayUrl} has no store to put terminals in`);
  const made: Made[] = [];
  for (let number = 1; number <= wanted.count; number++) {
    const poiId = `V400m-${200_000_000 + number}`;
    const deviceKey = credentials.secret(`terminal ${poiId}`, 'dev_');
    const { id } = await ask<{ id: string }>('POST', '/control/terminals', {
      poiId,
      storeId: store.id,
      deviceKey,
    });
    made.push({ poiId, deviceKey, identifier: id, storeName: store.name });
  }
  return made;
}

function asker({ gatewayUrl, controlToken }: TerminalsWanted) {
  if (!controlToken)
    throw new StartError('--count needs --control-token, or a gateway that runs on the data folder here');
  return async <Answer>(method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(new URL(path, gatewayUrl), {
      method,
      headers: { authorization: `Bearer ${controlToken}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((error: Error) => {
      const { message } = error.cause instanceof Error ? error.cause : error;
      throw new StartError(`no gateway answers at ${gatewayUrl}: ${message}`);
    });
    if (response.ok) return (await response.json()) as Answer;
    const { message } = (await response.json().catch(() => ({}))) as { message?: string };
    throw new StartError(`${method} ${path}: ${response.status} ${message ?? ''}`);
  };
}
