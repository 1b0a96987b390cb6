import { ApiError } from '../../client/api-client.ts';
import type { ControlClient } from '../../client/control-client.ts';
import type { Shopper } from '../../shared/emulator/frames.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import type { Sale } from '../../shared/sales/sale.ts';
import { StartError } from '../../shared/start-error.ts';
import type { Ground } from '../plan/fault-kind.ts';

/** A gateway and a terminal for one run, with what the command needs to know about them. */
export interface RunGround extends Omit<Ground, 'killAt' | 'shopper'> {
  readonly url: string;
  readonly token: string;
  /** The terminal's identifier, as paths of the payments API have it. */
  readonly terminalId: string;
  readonly controlToken: string;
  readonly beliefsUrl: string | undefined;
  /** Lets virtual time pass. With a gateway in real time, it waits that long. */
  advance(ms: number): Promise<void>;
  /** Stops virtual time, even for `advance`, until the returned function is called. Real time goes on. */
  hold(): () => void;
  /** Stops time that skips while `acts` says that the command is active, even if it sends no request. */
  standWhile?(acts: () => boolean): void;
  /** Counts how often each moment of payments was passed, in the run of these journal entries. */
  passed(entries: readonly JournalEntry[]): Readonly<Record<string, number>>;
  /** The sales since the run began. */
  sales(): Promise<readonly Sale[]>;
  /** The deliveries that were under way before the run began; undefined if the run has a gateway of its own. */
  readonly earlierDeliveries?: ReadonlySet<string>;
  /** The journal since the run began. */
  journal(): Promise<readonly JournalEntry[]>;
  /** Calls `heard` with each entry at once; returns how to stop. */
  listen(heard: (entry: JournalEntry) => void): () => void;
  close(): Promise<void>;
}

/** The place in which runs are made. */
export interface Arena {
  /** Opens ground for a run. `folder` asks for a data folder, for a gateway that crashes. */
  open(wanted: { folder: boolean; worker: number }): Promise<RunGround>;
  /** Whether all runs take place at one gateway, in real time. */
  readonly isShared?: boolean;
  /** Groups of faults that cannot happen here, and other things that are impossible, each with the reason. */
  readonly impossible: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

/**
 * Makes the automatic shopper pay at the terminal from now on.
 *
 * @throws StartError if there is no such card; it names the cards that exist
 */
export async function shopperPays(control: ControlClient, terminal: string, shopper: Shopper): Promise<void> {
  const params = { path: { terminalId: terminal } };
  const pays = control.PUT('/control/terminals/{terminalId}/shopper', { params, body: shopper });
  await unlessRefused(`--shopper ${shopper.card}`, pays, async () => {
    const cards = await control.GET('/control/cards');
    return cards.some(({ id }) => id === shopper.card)
      ? undefined
      : `is not a card here; known cards: ${cards.map(({ id }) => id).join(', ')}`;
  });
}

/**
 * Waits for a call. If the gateway refuses it, the options of explore are wrong.
 *
 * @throws StartError with the text of `why`, or else with the gateway's own
 */
export async function unlessRefused(
  what: string,
  call: Promise<unknown>,
  why?: () => Promise<string | undefined>,
): Promise<void> {
  await call.catch(async (error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    throw new StartError(`${what}: ${(await why?.()) ?? error.message}`);
  });
}

/** Ends all faults: power and network are back, and the shopper is gone. */
export async function mend({ control, terminal }: RunGround): Promise<void> {
  const params = { path: { terminalId: terminal } };
  await control.DELETE('/control/faults');
  await control.DELETE('/control/moments');
  await control.DELETE('/control/terminals/{terminalId}/outcome', { params });
  await unlessSo(control.POST('/control/terminals/{terminalId}/power', { params, body: { on: true } }));
  await unlessSo(control.POST('/control/terminals/{terminalId}/network', { params, body: { up: true } }));
}

/** Waits for a call. A conflict is ignored, because it says that the state is as wanted already. */
async function unlessSo(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== 'conflict') throw error;
  });
}
