import type { TimerHandle } from '../../shared/clock.ts';
import type { EmulatorCommand } from '../../shared/emulator/frames.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { Link } from '../../shared/transport/link.ts';
import type { EmulatorAnswer, TerminalCommand } from './emulators.ts';

/** One emulator's connection, and the terminals that the emulator hosts. */
export class EmulatorConnection {
  readonly #link: Link;
  readonly #runtime: Runtime;
  readonly #nextId: () => number;
  readonly #waiting = new Map<number, (answer: EmulatorAnswer | undefined) => void>();
  readonly #stopPinging: () => void;
  /**
   * Resolves when the emulator has sent its present screens. It is undefined until a client requests the screens.
   * After that, the emulator sends each new screen.
   */
  #screensShown: Promise<unknown> | undefined;
  readonly number: number;
  /** For each hosted terminal, by poi_id, the time at which this emulator began to host it. */
  readonly hosted = new Map<string, number>();
  /** Whether the emulator can keep its journal entries until the gateway's journal has a reader. */
  keepsJournal = false;
  knowsMoments = false;

  constructor(link: Link, number: number, runtime: Runtime, nextId: () => number) {
    this.#link = link;
    this.number = number;
    this.#runtime = runtime;
    this.#nextId = nextId;
    this.#stopPinging = this.#pingRegularly();
  }

  /** Whether the emulator runs in this process. An emulator in another process has a journal of its own. */
  get isInProcess(): boolean {
    return !this.keepsJournal;
  }

  /** Resolves with `alive`: whether the emulator has answered a ping in time. */
  proveAlive(limitMs: number, proven: (alive: boolean) => void): void {
    this.#link.proveAlive(limitMs, proven);
  }

  /** Sends a command. Resolves with undefined if the emulator does not answer in time. */
  ask(poiId: string, command: TerminalCommand): Promise<EmulatorAnswer | undefined> {
    const id = this.#nextId();
    const { clock, timeouts, timeWaits } = this.#runtime;
    const waiting = timeWaits.wait(() => `the terminal ${poiId}`, timeouts.acknowledgeMs);
    return new Promise((resolve) => {
      const limit: TimerHandle = clock.setTimeout(() => settle(undefined), timeouts.acknowledgeMs);
      const settle = (answer: EmulatorAnswer | undefined) => {
        waiting();
        clock.clearTimeout(limit);
        this.#waiting.delete(id);
        resolve(answer);
      };
      this.#waiting.set(id, settle);
      this.#link.send(JSON.stringify({ id, poiId, command } satisfies EmulatorCommand));
    });
  }

  answered(answer: EmulatorAnswer): void {
    this.#waiting.get(answer.id)?.(answer);
  }

  /** Makes the emulator send its screens from now on. Resolves when the gateway has the present screens. */
  showScreens(poiId: string): Promise<unknown> {
    this.#screensShown ??= this.ask(poiId, { do: 'showScreens' });
    return this.#screensShown;
  }

  /** Call this when the connection has closed. Commands that still wait for an answer then resolve with undefined. */
  closed(): void {
    this.#stopPinging();
    for (const settle of this.#waiting.values()) settle(undefined);
  }

  /**
   * Pings the emulator at intervals of real time. If the emulator died without closing the connection, the ping fails,
   * and the gateway frees the emulator's terminals.
   */
  #pingRegularly(): () => void {
    const { clock, timeouts } = this.#runtime;
    if (clock.virtual) return () => {};
    const beat = () => {
      this.#link.ping();
      if (this.#link.open) timer = clock.setTimeout(beat, timeouts.heartbeatMs);
    };
    let timer = clock.setTimeout(beat, timeouts.heartbeatMs);
    return () => clock.clearTimeout(timer);
  }
}
