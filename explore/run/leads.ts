import { Leading, type Led, type Vendor } from '../../leading/index.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Random } from '../../shared/random.ts';
import type { Variables } from './explore-server.ts';

interface LeadsOptions {
  readonly vendor: Vendor;
  readonly workers: number;
  /** What the command has of its own: options of Node and a proxy among it are merged with what leads it. */
  readonly env: Variables;
  readonly clock: Clock;
  readonly random: Random;
}

/** Where the commands of one worker are led. */
interface Lead extends Led {
  /** Of the run under way, or of the last one, which is gone. */
  url: string | undefined;
}

/** Leads the commands' calls of a vendor's hosts: those of a worker to the gateway of its run. A command that stays keeps its variables. */
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

  /** What of the command's own variables is not kept, in sentences. */
  get notes(): readonly string[] {
    return this.#leads[0]?.notes ?? [];
  }

  /** Of the vendor's API, nothing that a gateway has or takes. */
  get nothingCame(): boolean {
    return this.came('requests') === this.came('unauthorized') + this.came('unknown');
  }

  /** What came so far, of all workers. */
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
