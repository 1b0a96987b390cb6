import type { Actor } from 'xstate';
import { causeOf } from '../../shared/file-fault.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { startMachine } from './start-machine.ts';
import { type TerminalEffects, type TerminalInput, terminalMachine } from './terminal.machine.ts';

/** A terminal around its payments: its machine, and what happens when something of it fails. */
export class PowerController {
  #poiId: string;
  #runtime: Runtime;
  #input: { effects: TerminalEffects; startMs: number };
  #changed: () => void;
  #actor: Actor<typeof terminalMachine>;

  constructor(
    poiId: string,
    runtime: Runtime,
    input: { effects: TerminalEffects; startMs: number },
    changed: () => void,
  ) {
    this.#poiId = poiId;
    this.#runtime = runtime;
    this.#input = input;
    this.#changed = changed;
    this.#actor = this.#start();
  }

  get snapshot() {
    return this.#actor.getSnapshot();
  }

  send(event: TerminalInput): void {
    this.#actor.send(event);
  }

  stop(): void {
    this.#actor.stop();
  }

  /**
   * A fault of ours in this terminal: it starts as after a power cut, and what was under way is finished from the
   * memory. If switching on fails, it stays off until it is switched on again.
   */
  broke(error: unknown): void {
    const { status } = this.snapshot;
    if (status === 'stopped') return;
    const message = `the terminal failed and restarts: ${causeOf(error)}`;
    this.#runtime.journal.add('warning', { message }, { terminal: this.#poiId });
    if (status === 'error') this.#actor = this.#start();
    else for (const type of ['power.off', 'power.on'] as const) this.send({ type });
  }

  #start(): Actor<typeof terminalMachine> {
    return startMachine(terminalMachine, this.#input, this.#runtime, this.#poiId, {
      changed: this.#changed,
      broke: (error) => this.broke(error),
    });
  }
}
