import { type CommandRedirection, type Vendor, VendorRedirection } from '../../leading/index.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Random } from '../../shared/random.ts';
import type { CommandVariables } from './explore-server.ts';

interface LeadsOptions {
  readonly vendor: Vendor;
  /** The numbers of the workers that run commands. */
  readonly workers: readonly number[];
  /**
   * The command's own environment variables. If they contain NODE_OPTIONS or a proxy, these settings are merged with
   * the variables that redirect the calls.
   */
  readonly env: CommandVariables;
  /** The environment variables of this process. Commands have them, too. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
}

/** The gateway to which the calls of one worker's commands are redirected. */
interface Lead extends CommandRedirection {
  /** The address of the gateway in the present run; between runs, that of the last gateway, which has been closed. */
  url: string | undefined;
}

/**
 * Redirects the calls of each worker's command from a vendor's hosts to the gateway of the run. A command that stays
 * for several runs keeps its variables, so they must lead to every later gateway too.
 */
export class CommandRedirections {
  readonly #leading: VendorRedirection;
  /** By worker. */
  readonly #leads: ReadonlyMap<number, Lead>;

  private constructor(leading: VendorRedirection, leads: ReadonlyMap<number, Lead>) {
    this.#leading = leading;
    this.#leads = leads;
  }

  static async start({ workers, env, environment, ...options }: LeadsOptions): Promise<CommandRedirections> {
    const leading = await VendorRedirection.start({ ...options, environment: { ...environment, ...env } });
    const leads = workers.map(async (worker) => [worker, await leadBy(leading)] as const);
    return new CommandRedirections(leading, new Map(await Promise.all(leads)));
  }

  /** Redirects this worker's commands to a run's gateway from now on. Returns the environment variables that do so. */
  begin(worker: number, url: string): CommandVariables {
    const lead = this.#leads.get(worker) as Lead;
    lead.url = url;
    return lead.variables;
  }

  /** Sentences about the command's own variables that have no effect. */
  get notes(): readonly string[] {
    const [first] = this.#leads.values();
    return first?.notes ?? [];
  }

  /** Whether no request with a known path and a valid token has come so far. */
  get nothingCame(): boolean {
    return this.came('requests') === this.came('unauthorized') + this.came('unknown');
  }

  /** Returns how many requests of a kind have come so far, from all these workers. */
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
