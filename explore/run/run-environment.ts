import { ApiError } from '../../client/api-client.ts';
import type { ControlClient } from '../../client/control-client.ts';
import type { Needs } from '../../scenarios/index.ts';
import type { ShopperBehaviour } from '../../shared/emulator/frames.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import type { Sale } from '../../shared/sales/sale.ts';
import { StartError } from '../../shared/start-error.ts';
import type { FaultEnvironment } from '../plan/fault-kind.ts';

/** The gateway and the terminal of one run, with everything that the command must know about them. */
export interface RunEnvironment extends Omit<FaultEnvironment, 'killAt' | 'shopper'> {
  readonly url: string;
  readonly token: string;
  /** The terminal's identifier, as paths of the payments API have it. */
  readonly terminalId: string;
  readonly controlToken: string;
  readonly beliefsUrl: string | undefined;
  /** Lets virtual time pass. If the gateway uses real time, waits as long. */
  advance(ms: number): Promise<void>;
  /** Stops virtual time until the returned function is called; `advance` does not move it either. Real time goes on. */
  hold(): () => void;
  /**
   * Keeps the gateway from skipping time as long as `acts` says that the command is active, even if the command sends
   * no request.
   */
  standWhile?(acts: () => boolean): void;
  /** Counts how often the payments of this run passed each moment. `entries` is the journal of the run. */
  passed(entries: readonly JournalEntry[]): Readonly<Record<string, number>>;
  /** The sales since the run began. */
  sales(): Promise<readonly Sale[]>;
  /** The webhook deliveries that were pending before the run began; undefined if the run has a gateway of its own. */
  readonly earlierDeliveries?: ReadonlySet<string>;
  /** The journal since the run began. */
  journal(): Promise<readonly JournalEntry[]>;
  /** Calls `heard` with each new entry at once, until the returned function is called. */
  listen(heard: (entry: JournalEntry) => void): () => void;
  close(): Promise<void>;
}

/** The settings of the gateways that explore starts. They are plain data, so that other threads can have them, too. */
export interface LocalEnvironmentSettings {
  readonly config: string | undefined;
  /** The needs of a scenario, used instead of the configuration. */
  readonly needs?: Needs;
  /** The port of the gateway in every run; undefined for any free port. */
  readonly port: number | undefined;
  readonly seed: number;
  /** Whether the gateways speak Adyen's Terminal API even if the configuration does not say so. */
  readonly adyen?: boolean;
}

/** Gives each run its gateway and terminal. */
export interface EnvironmentProvider {
  /** With these settings, another thread makes the same provider for its runs. Absent if all runs share one gateway. */
  readonly local?: LocalEnvironmentSettings;
  /**
   * Opens a gateway and a terminal for a run. With `folder` the gateway has a data folder, so that it can crash and
   * come back.
   */
  open(wanted: { folder: boolean; worker: number }): Promise<RunEnvironment>;
  /** Whether all runs take place at one gateway, in real time. */
  readonly isShared?: boolean;
  /**
   * The groups of faults that cannot happen in this arena, and other things that are not possible, each with the
   * reason.
   */
  readonly impossible: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

/**
 * Makes the automatic shopper pay at the terminal from now on.
 *
 * @throws StartError if there is no such card; the error names the cards that exist
 */
export async function setAutomaticShopper(
  control: ControlClient,
  terminal: string,
  shopper: ShopperBehaviour,
): Promise<void> {
  const params = { path: { terminalId: terminal } };
  const pays = control.PUT('/control/terminals/{terminalId}/shopper', { params, body: shopper });
  await callOrStartError(`--shopper ${shopper.card}`, pays, async () => {
    const cards = await control.GET('/control/cards');
    return cards.some(({ id }) => id === shopper.card)
      ? undefined
      : `is not a card here; known cards: ${cards.map(({ id }) => id).join(', ')}`;
  });
}

/**
 * Waits for a call. If the gateway refuses the call, the options of explore are wrong.
 *
 * @throws StartError with the text that `why` returns, or else with the gateway's message
 */
export async function callOrStartError(
  what: string,
  call: Promise<unknown>,
  why?: () => Promise<string | undefined>,
): Promise<void> {
  await call.catch(async (error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    throw new StartError(`${what}: ${(await why?.()) ?? error.message}`);
  });
}

/** Ends all faults: restores power and network, and sends the shopper away. */
export async function endFaults({ control, terminal }: RunEnvironment): Promise<void> {
  const params = { path: { terminalId: terminal } };
  await control.DELETE('/control/faults');
  await control.DELETE('/control/moments');
  await control.DELETE('/control/terminals/{terminalId}/outcome', { params });
  await unlessSo(control.POST('/control/terminals/{terminalId}/power', { params, body: { on: true } }));
  await unlessSo(control.POST('/control/terminals/{terminalId}/network', { params, body: { up: true } }));
}

/** Waits for a call. Ignores a conflict, because it says that the wanted state exists already. */
async function unlessSo(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== 'conflict') throw error;
  });
}
