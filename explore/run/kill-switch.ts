import { requestKindOf } from '../../shared/sales/request-kind.ts';
import { linkFaultBody } from '../plan/link-faults.ts';
import type { Planned } from '../plan/planned.ts';
import { requestPointOf } from '../plan/request-points.ts';
import type { RunGround } from './ground.ts';

/** Ends the command's process group at one of its requests. */
export class KillSwitch {
  readonly #ground: Pick<RunGround, 'control' | 'listen'>;
  #kill: (() => void) | undefined;
  #stop: (() => void) | undefined;
  #killed = false;
  #problem: unknown;

  constructor(ground: Pick<RunGround, 'control' | 'listen'>) {
    this.#ground = ground;
  }

  /** The command was ended by it. */
  get killed(): boolean {
    return this.#killed;
  }

  /** Why it could not be ended, if so. */
  get problem(): unknown {
    return this.#problem;
  }

  /** How the command is ended when it comes to that. */
  arm(kill: () => void): void {
    this.#kill = kill;
  }

  /**
   * The request that arrives then gets no answer, as from a point of sale that is gone: it is lost (`before`), or executed and its
   * answer is lost (`after`). The journal says so at the very moment, and the command is ended before its connection is.
   */
  async set(planned: Planned, when: 'before' | 'after'): Promise<void> {
    const fault = when === 'before' ? 'dropRequest' : 'dropAnswer';
    const body = linkFaultBody({ ...planned, fault });
    await this.#ground.control.POST('/control/faults', { body: body as never });
    const came = new Set<string>();
    this.#stop = this.#ground.listen((entry) => {
      if (entry.kind === 'http.received' && isAt(planned, entry.data)) came.add(entry.data.requestId);
      if (entry.kind !== 'fault.injected' || entry.data.fault !== fault || this.#killed) return;
      const isIt = planned.nth === 'all' || came.size === planned.nth;
      if (!came.has(entry.data.requestId) || !isIt) return;
      this.#killed = true;
      try {
        this.#kill?.();
      } catch (error) {
        this.#problem = error; // the journal's listeners must not fail
      }
    });
  }

  stop(): void {
    this.#stop?.();
  }
}

function isAt({ moment }: Planned, { method, path }: { method: string; path: string }): boolean {
  const kind = requestKindOf(method, path.replace(/[?].*/, ''));
  return kind !== undefined && requestPointOf(kind) === moment;
}
