import type { Actor } from 'xstate';
import { describeCauseForLog } from '../../shared/file-fault.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { startMachine } from './start-machine.ts';
import {
  powerAndLinkMachine,
  type TerminalContext,
  type TerminalEffects,
  type TerminalMachineEvent,
} from './terminal.machine.ts';

interface PowerControllerParts {
  readonly poiId: string;
  readonly runtime: Runtime;
  readonly startMs: number;
}

interface PowerListener extends TerminalEffects {
  /** Called when the power fails and everything volatile is lost. The link is dropped without being closed. */
  loseVolatile(): void;
  changed(): void;
}

/**
 * Controls the power and the link of a terminal, but not its payments. Starts the terminal again if a part of it
 * fails.
 */
export class PowerController {
  #parts: PowerControllerParts;
  #listener: PowerListener;
  #actor: Actor<typeof powerAndLinkMachine>;

  constructor(parts: PowerControllerParts, listener: PowerListener) {
    this.#parts = parts;
    this.#listener = listener;
    this.#actor = this.#start();
  }

  /** The state of the terminal. It does not depend on payments. */
  get state(): 'off' | 'starting' | 'idle' | 'offline' | 'displaced' {
    const { value } = this.#actor.getSnapshot();
    return typeof value === 'object' ? (value.on as 'idle' | 'offline' | 'displaced') : value;
  }

  /** The state of the terminal's link. */
  get link(): TerminalContext['link'] {
    return this.#actor.getSnapshot().context.link;
  }

  send(event: TerminalMachineEvent): void {
    this.#actor.send(event);
  }

  stop(): void {
    this.#actor.stop();
  }

  /**
   * Handles a defect of pinpad in this terminal. The terminal starts as after a power cut: it finishes what was under
   * way according to its memory. If this start fails too, the terminal stays off until a person switches it on.
   */
  broke(error: unknown): void {
    const { status } = this.#actor.getSnapshot();
    if (status === 'stopped') return;
    this.#warn(`the terminal failed and restarts: ${describeCauseForLog(error)}`);
    if (status === 'error') this.#actor = this.#start();
    else for (const type of ['power.off', 'power.on'] as const) this.send({ type });
  }

  #start(): Actor<typeof powerAndLinkMachine> {
    const { poiId, runtime, startMs } = this.#parts;
    const input = { effects: this.#listener, startMs };
    const actor = startMachine(powerAndLinkMachine, input, runtime, poiId, {
      changed: () => this.#listener.changed(),
      broke: (error) => this.broke(error),
    });
    actor.on('power.lost', () => this.#loseVolatile());
    return actor;
  }

  /**
   * Discards everything that the terminal keeps only in volatile memory. Catches any error, because XState would
   * otherwise throw the error in the process.
   */
  #loseVolatile(): void {
    try {
      this.#listener.loseVolatile();
    } catch (error) {
      this.#warn(`the terminal failed while it was switched off: ${describeCauseForLog(error)}`);
    }
  }

  #warn(message: string): void {
    this.#parts.runtime.journal.add('warning', { message }, { terminal: this.#parts.poiId });
  }
}
