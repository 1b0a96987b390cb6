import type { EmulatorCommand, EmulatorFrame } from '../../shared/emulator/frames.ts';
import type { Screen } from '../../shared/emulator/screen.ts';
import type { CheckedRequest } from '../http/endpoint.ts';
import { ApiError } from '../http/errors.ts';

export type TerminalCommand = EmulatorCommand['command'];
export type EmulatorAnswer = Extract<EmulatorFrame, { type: 'answer' }>;
/** Lets a call say that it waits for a terminal, so that it does not count as work. */
export type Parks = Pick<CheckedRequest<unknown, unknown, unknown, unknown>, 'park'>;

/** The error if no terminal's keys can be reached. */
export function noEmulator(): ApiError {
  return new ApiError('conflict', { message: 'No terminal emulator is connected' });
}

/** The keys, slots, switches and screens of emulated terminals, whichever process they run in. */
export interface Emulators {
  /** Learns which terminals are hosted now, if that is not known. `hosts` and the other members say what the last look found. */
  look(): Promise<void>;
  /** Whether an emulator hosts the terminal now: only then can actions reach it. */
  hosts(poiId: string): boolean;
  /** Every terminal that an emulator hosts now, by poi_id. */
  hostedTerminals(): string[];
  /** One terminal of each emulator that is connected. */
  representatives(): string[];
  /** The screen of a hosted terminal. Its emulator starts sending screens when they are first requested. */
  screenOf(poiId: string, call: Parks): Promise<Screen | undefined>;
  /** The same as of the last look, for lists. */
  lastScreenOf(poiId: string, call: Parks): Promise<Screen | undefined>;
  /** Calls `watcher` with every screen from now on; returns how to stop. */
  watch(watcher: (poiId: string, screen: Screen) => void): () => void;
  /**
   * Makes a terminal's emulator do something, and gives its answer.
   *
   * @throws ApiError `conflict` if that is not possible now, `notFound` for a card that it does not have,
   * `terminalUnreachable` if the emulator does not answer
   */
  command(poiId: string, command: TerminalCommand): Promise<EmulatorAnswer>;
}
