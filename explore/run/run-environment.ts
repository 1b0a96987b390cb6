import { ApiError } from '../../client/api-client.ts';
import type { ControlClient } from '../../client/control-client.ts';
import type { Needs } from '../../scenarios/index.ts';
import type { AutomaticShopperSettings } from '../../shared/emulator/frames.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import type { Sale } from '../../shared/sales/sale.ts';
import { StartError } from '../../shared/start-error.ts';
import type { FaultEnvironment } from '../plan/fault-kind.ts';

/** The gateway and the terminal of one run, with everything that the command must know about them. */
export interface RunEnvironment extends Omit<FaultEnvironment, 'killAt' | 'shopper'> {
  readonly url: string;
  readonly token: string;
  /** The terminal's identifier, which is part of paths of the payments API. */
  readonly terminalId: string;
  readonly controlToken: string;
  readonly beliefsUrl: string | undefined;
  /** Lets virtual time pass. If the gateway uses real time, waits for `ms` real milliseconds. */
  advance(ms: number): Promise<void>;
  /**
   * Stops virtual time until the returned function is called. Until then, even `advance` does not move virtual time.
   * Does not stop real time.
   */
  hold(): () => void;
  /**
   * Makes virtual time stand still while `acts` returns true. `acts` says whether the command is active, even if the
   * command sends no request.
   */
  standWhile?(acts: () => boolean): void;
  /** Counts how often the payments of this run passed each moment. `entries` is the journal of the run. */
  passed(entries: readonly JournalEntry[]): Readonly<Record<string, number>>;
  /** The sales since the run began. */
  sales(): Promise<readonly Sale[]>;
  /**
   * The webhook deliveries that were pending before the run began; undefined if the run has started its own gateway.
   */
  readonly earlierDeliveries?: ReadonlySet<string>;
  /** The journal since the run began. */
  journal(): Promise<readonly JournalEntry[]>;
  /** Calls `heard` with each new entry at once, until the returned function is called. */
  listen(heard: (entry: JournalEntry) => void): () => void;
  close(): Promise<void>;
}

/**
 * The settings of the gateways that explore starts. They are plain data, so that they can be sent to other threads.
 */
export interface LocalEnvironmentSettings {
  readonly config: string | undefined;
  /** The accounts, terminals and settings that a scenario needs. If given, they replace the configuration. */
  readonly needs?: Needs;
  /** The port of the gateway in every run; undefined for any free port. */
  readonly port: number | undefined;
  readonly seed: number;
  /** Whether the gateways speak Adyen's Terminal API even if the configuration does not say so. */
  readonly adyen?: boolean;
}

/** Gives each run its gateway and terminal. */
export interface EnvironmentProvider {
  /**
   * The settings from which another thread can make the same provider for its runs. Absent if all runs share one
   * gateway.
   */
  readonly local?: LocalEnvironmentSettings;
  /**
   * Opens a gateway and a terminal for a run. With `folder`, the gateway has a data folder, so that it can crash and
   * start again with its data.
   */
  open(wanted: { folder: boolean; worker: number }): Promise<RunEnvironment>;
  /** Whether all runs take place at one gateway, in real time. */
  readonly isShared?: boolean;
  /**
   * The keys are groups of faults that cannot happen in the runs of this provider, and options that have no effect in
   * these runs. Each value is the reason.
   */
  readonly impossible: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

/**
 * Makes the automatic shopper pay at the terminal from now on.
 *
 * @throws StartError if there is no such card. The error names all known cards
 */
export async function setAutomaticShopper(
  control: ControlClient,
  terminal: string,
  shopper: AutomaticShopperSettings,
): Promise<void> {
  const params = { path: { terminalId: terminal } };
  const pays = control.PUT('/control/terminals/{terminalId}/shopper', { params, body: shopper });
  await callOrStartError(`--shopper ${shopper.card}`, pays, async () => {
    const cards = await control.GET('/control/cards');
    return cards.some(({ id }) => id === shopper.card)
      ? undefined
      : `is not the id of a card; known cards: ${cards.map(({ id }) => id).join(', ')}`;
  });
}

/**
 * Waits for a call of the control API. If the gateway refuses the call, the user has given wrong options.
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

/** Removes all faults, and switches the terminal's power and network on. */
export async function endFaultsAndRestoreTerminal({ control, terminal }: RunEnvironment): Promise<void> {
  const params = { path: { terminalId: terminal } };
  await control.DELETE('/control/faults');
  await control.DELETE('/control/moments');
  await control.DELETE('/control/terminals/{terminalId}/outcome', { params });
  await unlessSo(control.POST('/control/terminals/{terminalId}/power', { params, body: { on: true } }));
  await unlessSo(control.POST('/control/terminals/{terminalId}/network', { params, body: { up: true } }));
}

/**
 * Waits for a call that switches power or network on. Ignores the error `conflict`, which says that power or network is
 * on already.
 */
async function unlessSo(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== 'conflict') throw error;
  });
}
