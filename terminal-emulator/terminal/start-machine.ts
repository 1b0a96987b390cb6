import { type Actor, type AnyStateMachine, createActor, type InputFrom } from 'xstate';
import type { Runtime } from '../../shared/runtime.ts';

/**
 * Starts a state machine of a terminal. Errors in the machine go to `broke`, and errors in its listeners go to the
 * journal. Without this function, XState would throw these errors in the process, and the errors would end all
 * terminals of the process.
 */
export function startMachine<Machine extends AnyStateMachine>(
  machine: Machine,
  input: InputFrom<Machine>,
  { clock, journal }: Pick<Runtime, 'clock' | 'journal'>,
  terminal: string,
  listener: { changed(): void; broke(error: unknown): void },
): Actor<Machine> {
  const options = { clock: clock as never, input } as Parameters<typeof createActor<Machine>>[1];
  const actor = createActor<Machine>(machine, options as never);
  const changed = () => {
    try {
      listener.changed();
    } catch (error) {
      const cause = error instanceof Error ? error.stack : error;
      journal.add('warning', { message: `a listener of the terminal failed: ${cause}` }, { terminal });
    }
  };
  // Subscribes before the start, because the start may fail too.
  actor.subscribe({ error: (error) => listener.broke(error) });
  actor.start();
  actor.subscribe({ next: changed, error: () => {} });
  return actor;
}
