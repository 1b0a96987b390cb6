import { sql } from 'kysely';
import { isDatabaseUnreachable } from '../../shared/database/storage-fault.ts';
import { PeriodicRunner } from '../../shared/rounds.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { DutyAssigner, SharedWork } from '../engine/duties.ts';
import type { Tx } from '../store/schema.ts';
import type { GatewayStore } from '../store/store.ts';
import type { ClusterTimings } from './cluster-timings.ts';
import { databaseTimeSql, type GatewayMembership } from './gateways.ts';
import type { HintBus } from './hints/hints.ts';
import { Lease } from './lease.ts';

interface LeasesParts {
  runtime: Pick<Runtime, 'realClock' | 'journal'>;
  store: GatewayStore;
  paces: ClusterTimings;
  gateways: Pick<GatewayMembership, 'id'>;
  hints: Pick<HintBus, 'publish' | 'subscribe'>;
}

const notRenewed = 'the leases of this gateway could not be renewed';

/**
 * Decides which kinds of work this gateway does for all gateways of its database. Once a second, one statement renews
 * the leases of this gateway and takes the leases that have ended. The database's clock decides which leases have
 * ended.
 */
export class LeaseManager implements DutyAssigner {
  readonly #parts: LeasesParts;
  readonly #leases = new Map<string, Lease>();
  readonly #rounds: PeriodicRunner;
  /** The problems that this gateway has reported in the journal and that have not ended yet. */
  readonly #reported = new Set<string>();

  constructor(parts: LeasesParts) {
    this.#parts = parts;
    this.#rounds = new PeriodicRunner(parts.runtime.realClock, parts.paces.beatMs, () => this.#round());
  }

  /**
   * Makes this gateway a candidate for a kind of work. The gateway that gets the lease keeps the lease for `lastsMs`.
   */
  share(name: string, lastsMs: number, work: SharedWork): Lease {
    const { runtime, hints } = this.#parts;
    const subject = `leases.${name}`;
    const problem = `the due work of ${name} could not be read`;
    const lease = new Lease({
      name,
      lastsMs,
      clock: runtime.realClock,
      work,
      failed: (error) => this.#report(problem, error),
      worked: () => this.#reported.delete(problem),
      publish: () => hints.publish(subject),
    });
    hints.subscribe(subject, () => void lease.sweep());
    this.#leases.set(name, lease);
    return lease;
  }

  /**
   * Asks the database for the leases now. If this gateway gets leases, it searches for the work of each lease. Resolves
   * when these searches have ended.
   */
  async askNow(): Promise<void> {
    await this.#rounds.now();
    await Promise.all([...this.#leases.values()].map((lease) => lease.swept));
  }

  /**
   * Ends the work and gives up the leases. If the database can be reached, other gateways can take the leases at once.
   */
  async close(): Promise<void> {
    await this.#rounds.stop();
    await Promise.all([...this.#leases.values()].map((lease) => lease.end()));
    const { store, gateways } = this.#parts;
    await store.beside((tx) => release(tx, gateways.id)).catch(() => {});
  }

  /**
   * Renews the leases. The searches for work start, but this method does not wait for their end, because a long search
   * must not let a lease run out.
   */
  async #round(): Promise<void> {
    const { store, runtime, gateways } = this.#parts;
    const leases = [...this.#leases.values()];
    if (leases.length === 0) return;
    const askedAt = runtime.realClock.monotonic();
    try {
      const tokens = await store.beside((tx) => ask(tx, gateways.id, leases));
      for (const lease of leases) {
        const token = tokens.get(lease.name);
        if (token === undefined) lease.denied();
        else lease.granted(token, askedAt);
      }
      this.#reported.delete(notRenewed);
    } catch (error) {
      this.#report(notRenewed, error);
      for (const lease of leases) lease.unanswered();
    }
    for (const lease of leases) void lease.sweep();
  }

  /** Reports a problem when it begins. The store itself reports that the database cannot be reached. */
  #report(problem: string, error: unknown): void {
    if (this.#reported.has(problem) || isDatabaseUnreachable(error)) return;
    this.#reported.add(problem);
    const message = `${problem}: ${error instanceof Error ? error.message : error}`;
    this.#parts.runtime.journal.add('warning', { message });
  }
}

/**
 * A stored lease normally ends before a lease that is taken now would end. If the stored lease ends more than this many
 * ms later, someone set the database's clock back after the lease was taken.
 */
const clockSetBackMs = 60_000;

/**
 * Requests leases, and returns the token of each lease that this gateway now has. All gateways lock the rows in the
 * same order, so no deadlock can occur.
 */
async function ask(
  tx: Tx,
  gatewayId: string,
  leases: readonly Pick<Lease, 'name' | 'lastsMs'>[],
): Promise<Map<string, number>> {
  const rows = leases.map(
    ({ name, lastsMs }) => sql`(${name}, ${gatewayId}, 1, ${databaseTimeSql} + ${lastsMs}::bigint)`,
  );
  const { rows: ours } = await sql<{ name: string; token: number }>`
    insert into leases (name, gateway_id, token, expires_at) values ${sql.join(rows)}
    on conflict (name) do update set
      token = leases.token + (leases.gateway_id <> excluded.gateway_id)::integer,
      gateway_id = excluded.gateway_id,
      expires_at = excluded.expires_at
    where leases.gateway_id = excluded.gateway_id or leases.expires_at <= ${databaseTimeSql}
      or leases.expires_at > excluded.expires_at + ${clockSetBackMs}::bigint
    returning name, token`.execute(tx);
  return new Map(ours.map(({ name, token }) => [name, token]));
}

async function release(tx: Tx, gatewayId: string): Promise<void> {
  await tx.updateTable('leases').set({ expires_at: 0 }).where('gateway_id', '=', gatewayId).execute();
}
