import type { JournalEntry } from '../../shared/journal.ts';
import { linkFaultBody } from '../plan/link-faults.ts';
import type { Planned } from '../plan/planned.ts';
import { requestPointOf } from '../plan/request-points.ts';
import type { RunGround } from './ground.ts';

/** Ends the command's process group at one of its requests; from then on time stands until the point of sale is back. */
export class KillSwitch {
  readonly #ground: Pick<RunGround, 'control' | 'listen' | 'hold'>;
  #kill: (() => void) | undefined;
  #stop: (() => void) | undefined;
  #release: (() => void) | undefined;
  #killed = false;
  #problem: unknown;

  constructor(ground: Pick<RunGround, 'control' | 'listen' | 'hold'>) {
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
      this.#release = this.#ground.hold();
      try {
        this.#kill?.();
      } catch (error) {
        this.#problem = error; // the journal's listeners must not fail
      }
    });
  }

  /** Time goes on as soon as a request comes: what was killed has begun again, and a receiver that it has listens. */
  goOnAtRequest(): void {
    const stop = this.#ground.listen(({ kind }) => {
      if (kind !== 'http.received') return;
      stop();
      this.#release?.();
    });
  }

  /** Nothing is killed any more, and time goes on. */
  stop(): void {
    this.#stop?.();
    this.#release?.();
  }
}

function isAt({ moment }: Planned, { method, path, asks }: JournalEntry<'http.received'>['data']): boolean {
  return requestPointOf(method, path.replace(/[?].*/, ''), asks?.kind) === moment;
}
