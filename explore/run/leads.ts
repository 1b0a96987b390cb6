import { Leading, type Led, type Vendor } from '../../leading/index.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Random } from '../../shared/random.ts';
import type { Variables } from './explore-server.ts';

interface LeadsOptions {
  readonly vendor: Vendor;
  readonly workers: number;
  /** The command's own variables. Its options of Node and its proxy are merged with the variables that lead it. */
  readonly env: Variables;
  readonly clock: Clock;
  readonly random: Random;
}

/** The gateway to which the commands of one worker are led. */
interface Lead extends Led {
  /** The gateway's address in the run under way, or in the last run, whose gateway is gone. */
  url: string | undefined;
}

/** Leads a worker's calls to a vendor's hosts to the gateway of its run. A command that stays keeps its variables. */
export class Leads {
  readonly #leading: Leading;
  readonly #leads: readonly Lead[];

  private constructor(leading: Leading, leads: readonly Lead[]) {
    this.#leading = leading;
    this.#leads = leads;
  }

  static async start({ vendor, workers, env, clock, random }: LeadsOptions): Promise<Leads> {
    const environment = { ...process.env, ...env };
    const leading = await Leading.start({ vendor, environment, clock, random });
    return new Leads(leading, await Promise.all(Array.from({ length: workers }, () => leadBy(leading))));
  }

  /** Leads this worker's commands to a run's gateway from now on; gives the variables that do it. */
  begin(worker: number, url: string): Variables {
    const lead = this.#leads[worker] as Lead;
    lead.url = url;
    return lead.variables;
  }

  /** Sentences about the command's own variables that are lost. */
  get notes(): readonly string[] {
    return this.#leads[0]?.notes ?? [];
  }

  /** Whether no request came that a gateway knows and takes. */
  get nothingCame(): boolean {
    return this.came('requests') === this.came('unauthorized') + this.came('unknown');
  }

  /** Gives how many requests of a kind came so far, from all workers. */
  came(what: keyof Led['counts']): number {
    return this.#leads.reduce((sum, { counts }) => sum + counts[what], 0);
  }

  close(): Promise<void> {
    return this.#leading.close();
  }
}

async function leadBy(leading: Leading): Promise<Lead> {
  const to: { url: string | undefined } = { url: undefined };
  return Object.assign(to, await leading.lead(() => to.url));
}
