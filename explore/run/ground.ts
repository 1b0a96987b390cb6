import { ApiError } from '../../client/api-client.ts';
import type { ControlClient } from '../../client/control-client.ts';
import type { Shopper } from '../../shared/emulator/frames.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import type { Sale } from '../../shared/sales/sale.ts';
import { StartError } from '../../shared/start-error.ts';
import type { Ground } from '../plan/fault-kind.ts';

/** A gateway and a terminal for one run, and what the command needs to know of them. */
export interface RunGround extends Omit<Ground, 'killAt' | 'shopper'> {
  readonly url: string;
  readonly token: string;
  /** The terminal's identifier, as paths of the payments API have it. */
  readonly terminalId: string;
  readonly controlToken: string;
  readonly beliefsUrl: string | undefined;
  /** Lets virtual time pass; a gateway that runs in real time waits for it. */
  advance(ms: number): Promise<void>;
  /** Time stands, also for who moves it, until what is returned is called; real time goes on. */
  hold(): () => void;
  /** Time that skips does not move while `acts` says that the command acts, though no request tells of it. */
  standWhile?(acts: () => boolean): void;
  /** How often each moment of payments was passed in a run that the journal tells of. */
  passed(entries: readonly JournalEntry[]): Readonly<Record<string, number>>;
  /** What was sold since the run began. */
  sales(): Promise<readonly Sale[]>;
  /** What was on its way to receivers before the run began; undefined at a gateway of its own. */
  readonly earlierDeliveries?: ReadonlySet<string>;
  /** What happened since the run began. */
  journal(): Promise<readonly JournalEntry[]>;
  /** Hears what happens, at once; returns how to stop. */
  listen(heard: (entry: JournalEntry) => void): () => void;
  close(): Promise<void>;
}

/** Where runs take place. */
export interface Arena {
  /** Opens ground for a run. `folder`: with a data folder, for a gateway that crashes. */
  open(wanted: { folder: boolean; worker: number }): Promise<RunGround>;
  /** All runs take place at one gateway, in real time. */
  readonly isShared?: boolean;
  /** Groups of faults that cannot happen here, and what else cannot be, each with the reason. */
  readonly impossible: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

/**
 * Has the automatic shopper pay at the terminal from now on.
 *
 * @throws StartError if there is no such card, naming those that there are
 */
export async function shopperPays(control: ControlClient, terminal: string, shopper: Shopper): Promise<void> {
  const params = { path: { terminalId: terminal } };
  const pays = control.PUT('/control/terminals/{terminalId}/shopper', { params, body: shopper });
  await unlessRefused(`--shopper ${shopper.card}`, pays, async () => {
    const cards = await control.GET('/control/cards');
    return cards.some(({ id }) => id === shopper.card)
      ? undefined
      : `is no card here; there are ${cards.map(({ id }) => id).join(', ')}`;
  });
}

/**
 * What the gateway refuses is a mistake in what explore was asked for.
 *
 * @throws StartError with why, or else with what the gateway says
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

/** Ends all that goes wrong: power and network are back, the shopper is gone. */
export async function mend({ control, terminal }: RunGround): Promise<void> {
  const params = { path: { terminalId: terminal } };
  await control.DELETE('/control/faults');
  await control.DELETE('/control/moments');
  await control.DELETE('/control/terminals/{terminalId}/outcome', { params });
  await unlessSo(control.POST('/control/terminals/{terminalId}/power', { params, body: { on: true } }));
  await unlessSo(control.POST('/control/terminals/{terminalId}/network', { params, body: { up: true } }));
}

/** What is so already is refused as a conflict. */
async function unlessSo(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== 'conflict') throw error;
  });
}
