import { join } from 'node:path';
import { prepareDataFolder } from '../shared/data-folder.ts';
import { toDataStartError } from '../shared/file-fault.ts';
import type { Random } from '../shared/random.ts';
import type { Runtime } from '../shared/runtime.ts';
import {
  type Emulator,
  type EmulatorOptions,
  startTerminalEmulator,
  type TerminalSettings,
  TerminalsTakenError,
} from '../terminal-emulator/index.ts';
import { attachReaders, findWantedReaders } from './attach-readers.ts';
import type { Config } from './config.ts';
import { CredentialStore } from './credentials.ts';
import { findOrMakeTerminals, type RegisteredTerminal } from './find-or-make-terminals.ts';
import { StartError } from './start-error.ts';
import { createJournalWarner, pacingOf } from './start-stack.ts';
import { findOrMakeFingerprintSecret } from './wedge.ts';

/** The terminals that a process without a gateway runs, and the gateway to which they connect. */
export interface TerminalsWanted {
  gatewayUrl: string;
  /** Terminals that exist at the gateway, with their keys. */
  given: readonly TerminalSettings[];
  /**
   * The number of further terminals, whose poi_ids come from the gateway. The data folder keeps their keys, so that the
   * next start gets the same terminals again.
   */
  count: number;
  /**
   * The random numbers for the keys of these terminals. They must not come from a seed, because two processes with the
   * same seed would then have the same terminals.
   */
  keys?: Random;
  controlToken?: string;
  /** Real card readers: `SPEC` for the first terminal, or `POIID=SPEC`. */
  readers?: readonly string[];
}

/**
 * Starts emulated terminals that connect to a gateway, which may run on another machine.
 *
 * @throws StartError if the gateway must make new terminals but refuses, or if another process already runs some of the
 * terminals
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
  if (!config.memory) prepareDataFolder(config.data, createJournalWarner(runtime));
  const credentials = new CredentialStore(config.memory ? undefined : config.data, runtime.random);
  const made = wanted.count > 0 ? await makeTerminals(wanted, config, credentials, runtime) : [];
  const terminals = [...wanted.given, ...made];
  const readers = findWantedReaders(
    config,
    wanted.readers ?? [],
    terminals.map(({ poiId }) => poiId),
  );
  const fingerprints = readers.length > 0 ? findOrMakeFingerprintSecret(credentials) : '';
  explainDataFaults(config, () => credentials.save());
  const emulator = await createOrAdvise(
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
    made,
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

async function makeTerminals(
  { gatewayUrl: url, controlToken, count, keys }: TerminalsWanted,
  config: Config,
  credentials: CredentialStore,
  { random }: Runtime,
): Promise<RegisteredTerminal[]> {
  if (!controlToken)
    throw new StartError(
      '--count needs --control-token, unless a gateway with the same data folder runs on this machine',
    );
  const deviceKeys = explainDataFaults(config, () => credentials.madeKeys(count, keys ?? random));
  return findOrMakeTerminals({ url, controlToken }, deviceKeys);
}

/** @throws StartError with advice, if another process runs some of the terminals */
async function createOrAdvise(
  options: EmulatorOptions,
  made: readonly RegisteredTerminal[],
  runtime: Runtime,
): Promise<Emulator> {
  try {
    return await startTerminalEmulator(options, runtime);
  } catch (error) {
    if (!(error instanceof TerminalsTakenError)) throw error;
    const instead =
      made.length > 0
        ? 'use another folder (--data), which gets its own terminals'
        : 'start other terminals with --count';
    throw new StartError(`${error.message}, or ${instead}`);
  }
}

/** Reads or writes the credentials. @throws StartError if the folder cannot be written */
function explainDataFaults<Result>({ data }: Config, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw toDataStartError(data, error) ?? error;
  }
}
