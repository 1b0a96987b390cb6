import type { JournalEntry } from '../../shared/journal.ts';
import { posLinkFaultBody } from '../plan/pos-link-faults.ts';
import { requestPointName } from '../plan/request-points.ts';
import type { PlannedFault } from '../plan/schedule.ts';
import type { RunEnvironment } from './run-environment.ts';

/**
 * Kills the command's process group at one of its requests. After that, time stands still until the point of sale sends
 * a request again.
 */
export class KillSwitch {
  readonly #environment: Pick<RunEnvironment, 'control' | 'listen' | 'hold'>;
  #kill: (() => void) | undefined;
  readonly #stops: (() => void)[] = [];
  #release: (() => void) | undefined;
  #killed = false;
  #problem: unknown;

  constructor(environment: Pick<RunEnvironment, 'control' | 'listen' | 'hold'>) {
    this.#environment = environment;
  }

  /** Whether this switch has killed the command. */
  get killed(): boolean {
    return this.#killed;
  }

  /** The error if the command could not be killed. */
  get problem(): unknown {
    return this.#problem;
  }

  /** Sets the function that kills the command. */
  arm(kill: () => void): void {
    this.#kill = kill;
  }

  /**
   * Sets the fault that kills the command at a request. With `before`, the request is lost. With `after`, the gateway
   * executes the request, and the answer is lost. The command is killed when the fault's entry is written to the
   * journal, which happens before the connection breaks.
   */
  async set(planned: PlannedFault, when: 'before' | 'after'): Promise<void> {
    const fault = when === 'before' ? 'dropRequest' : 'dropAnswer';
    const body = posLinkFaultBody({ ...planned, fault });
    await this.#environment.control.POST('/control/faults', { body: body as never });
    /**
     * The ids of the requests at the fault's moment, in the order in which they arrived. A mere count would not show
     * the number of the request with the fault, because further requests may arrive before the fault happens.
     */
    const arrived: string[] = [];
    const stop = this.#environment.listen((entry) => {
      if (entry.kind === 'http.received' && isAt(planned, entry.data)) arrived.push(entry.data.requestId);
      if (entry.kind !== 'fault.injected' || entry.data.fault !== fault || this.#killed) return;
      const number = arrived.indexOf(entry.data.requestId) + 1;
      if (number === 0 || (planned.nth !== 'all' && number !== planned.nth)) return;
      this.#killed = true;
      this.#release = this.#environment.hold();
      try {
        this.#kill?.();
      } catch (error) {
        this.#problem = error; // a listener of the journal must not throw an error
      }
    });
    this.#stops.push(stop);
  }

  /**
   * Lets time continue at the next request. This request shows that the command is running again, so its webhook
   * receiver listens again too.
   */
  goOnAtRequest(): void {
    const stop = this.#environment.listen(({ kind }) => {
      if (kind !== 'http.received') return;
      stop();
      this.#release?.();
    });
  }

  /** Switches the kill switch off. From now on, it kills nothing, and time continues. */
  stop(): void {
    for (const stop of this.#stops) stop();
    this.#release?.();
  }
}

function isAt(
  { moment }: PlannedFault,
  { method, path, asks }: JournalEntry<'http.received'>['data'],
): boolean {
  return requestPointName(method, path.replace(/[?].*/, ''), asks?.kind) === moment;
}
