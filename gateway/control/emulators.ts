import type { EmulatorCommand, EmulatorFrame } from '../../shared/emulator/frames.ts';
import type { Screen } from '../../shared/emulator/screen.ts';
import { ApiError } from '../http/errors.ts';
import { type ParkableCall, parkCallDuring } from '../http/parked.ts';

export type TerminalCommand = EmulatorCommand['command'];
export type EmulatorAnswer = Extract<EmulatorFrame, { type: 'answer' }>;

/** Gives access to emulated terminals in any process: to their keys, cards, switches and screens. */
export interface Emulators {
  /**
   * Finds out which terminals are hosted now. Does nothing if this gateway always knows that. After this call, the
   * other members give the state at the time of the call.
   */
  bringUpToDate(): Promise<void>;
  /** Returns whether an emulator hosts the terminal now. If none does, no action can reach the terminal. */
  hosts(poiId: string): boolean;
  /** Gives the poi_id of every terminal that an emulator hosts now. */
  hostedTerminals(): string[];
  /** Gives one terminal of each connected emulator. */
  representatives(): string[];
  /**
   * Gives the screen of a hosted terminal. The first such request makes the terminal's emulator send its screens from
   * then on.
   */
  screenOf(poiId: string, call: ParkableCall): Promise<Screen | undefined>;
  /** Gives the last known screen of a terminal, for lists. */
  lastScreenOf(poiId: string, call: ParkableCall): Promise<Screen | undefined>;
  /** From now on, calls `watcher` with every screen. Returns a function that ends these calls. */
  watch(watcher: (poiId: string, screen: Screen) => void): () => void;
  /**
   * Sends a command to a terminal's emulator, and gives the emulator's answer.
   *
   * @throws ApiError `conflict` if the command is not possible now, `notFound` if the emulator does not have the card,
   * `terminalUnreachable` if the emulator does not answer
   */
  command(poiId: string, command: TerminalCommand): Promise<EmulatorAnswer>;
}

/**
 * Finds out which emulators are connected.
 *
 * @throws ApiError conflict if no emulator is connected
 */
export async function requireConnectedEmulator(emulators: Emulators): Promise<void> {
  await emulators.bringUpToDate();
  if (emulators.representatives().length === 0)
    throw new ApiError('conflict', { message: 'No terminal emulator is connected' });
}

/**
 * Sends a command to all emulators that the last call of `bringUpToDate` found, and gives their answers. Emulators that
 * have disconnected since that call are left out.
 */
export async function commandAllEmulators(
  emulators: Emulators,
  command: TerminalCommand,
  call: ParkableCall,
): Promise<EmulatorAnswer[]> {
  const answers: EmulatorAnswer[] = [];
  for (const poiId of emulators.representatives()) {
    const asked = parkCallDuring(call, () => emulators.command(poiId, command));
    const answer = await asked.catch(async (error: unknown) => {
      await emulators.bringUpToDate();
      if (emulators.hosts(poiId)) throw error;
    });
    if (answer) answers.push(answer);
  }
  return answers;
}
