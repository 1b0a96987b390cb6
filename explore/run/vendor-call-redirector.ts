import { type CommandRedirection, type Vendor, VendorRedirection } from '../../leading/index.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Random } from '../../shared/random.ts';
import type { CommandVariables } from './explore-server.ts';

interface LeadsOptions {
  readonly vendor: Vendor;
  /** The numbers of the workers that run commands. */
  readonly workers: readonly number[];
  /**
   * The environment variables that the user sets for the command. If NODE_OPTIONS is among them, the redirection adds
   * its own options to it. If a proxy is among them, the redirection reaches other hosts through that proxy.
   */
  readonly env: CommandVariables;
  /** The environment variables of this process. Commands have them, too. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
}

/** The gateway to which the calls of one worker's commands are redirected. */
interface Lead extends CommandRedirection {
  /**
   * The address of the gateway of the current run. Between two runs, it is the address of the previous run's gateway,
   * which is closed.
   */
  url: string | undefined;
}

/**
 * Redirects the calls of each worker's command from a vendor's hosts to the gateway of the run. A command that keeps
 * running for several runs keeps its environment variables. So the variables name a local server, which passes the
 * calls on to the gateway of the current run.
 */
export class VendorCallRedirector {
  readonly #leading: VendorRedirection;
  /** By worker. */
  readonly #leads: ReadonlyMap<number, Lead>;

  private constructor(leading: VendorRedirection, leads: ReadonlyMap<number, Lead>) {
    this.#leading = leading;
    this.#leads = leads;
  }

  static async start({ workers, env, environment, ...options }: LeadsOptions): Promise<VendorCallRedirector> {
    const leading = await VendorRedirection.start({ ...options, environment: { ...environment, ...env } });
    const leads = workers.map(async (worker) => [worker, await leadBy(leading)] as const);
    try {
      return new VendorCallRedirector(leading, new Map(await Promise.all(leads)));
    } catch (error) {
      await Promise.allSettled(leads);
      await leading.close();
      throw error;
    }
  }

  /**
   * Redirects this worker's commands to a run's gateway from now on. Returns the environment variables for the
   * commands.
   */
  begin(worker: number, url: string): CommandVariables {
    const lead = this.#leads.get(worker) as Lead;
    lead.url = url;
    return lead.variables;
  }

  /** Notes for the user about settings that have no effect on the command, because the redirection overrides them. */
  get notes(): readonly string[] {
    const [first] = this.#leads.values();
    return first?.notes ?? [];
  }

  /** True until the first request comes that has both a known path and a valid token. */
  get nothingCame(): boolean {
    return this.came('requests') === this.came('unauthorized') + this.came('unknown');
  }

  /** Returns the sum of one count over all workers, such as the number of requests so far. */
  came(what: keyof CommandRedirection['counts']): number {
    return [...this.#leads.values()].reduce((sum, { counts }) => sum + counts[what], 0);
  }

  close(): Promise<void> {
    return this.#leading.close();
  }
}

async function leadBy(leading: VendorRedirection): Promise<Lead> {
  const to: { url: string | undefined } = { url: undefined };
  return Object.assign(to, await leading.lead(() => to.url));
}
