import { sql } from 'kysely';
import type { Clock } from '../../shared/clock.ts';
import { isGone } from '../../shared/database/storage-fault.ts';
import { Rounds } from '../../shared/rounds.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { Duties, Duty, SharedWork } from '../engine/duties.ts';
import type { Change, Tx } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import { databaseNow, type Gateways } from './gateways.ts';
import type { Hints } from './hints/hints.ts';
import type { Paces } from './paces.ts';

interface LeasesParts {
  runtime: Pick<Runtime, 'realClock' | 'journal'>;
  store: Store;
  paces: Paces;
  gateways: Pick<Gateways, 'id'>;
  hints: Pick<Hints, 'publish' | 'subscribe'>;
}

/** The right to do one kind of work, for a while that is counted from before it was asked for. */
export class Lease implements Duty {
  readonly name: string;
  readonly lastsMs: number;
  readonly #clock: Clock;
  readonly #work: SharedWork;
  readonly #failed: (error: unknown) => void;
  readonly #publish: () => void;
  #token: number | undefined;
  /** On the monotonic clock. */
  #until = Number.NEGATIVE_INFINITY;
  #sweeping: Promise<void> | undefined;
  #again = false;

  constructor(parts: {
    name: string;
    lastsMs: number;
    clock: Clock;
    work: SharedWork;
    failed: (error: unknown) => void;
    publish: () => void;
  }) {
    this.name = parts.name;
    this.lastsMs = parts.lastsMs;
    this.#clock = parts.clock;
    this.#work = parts.work;
    this.#failed = parts.failed;
    this.#publish = parts.publish;
  }

  /** What is left of it; nothing where another gateway may have it by now. */
  get leftMs(): number {
    return this.#token === undefined ? 0 : Math.max(0, this.#until - this.#clock.monotonic());
  }

  /** The same number as long as no other gateway had it; undefined without it. */
  get token(): number | undefined {
    return this.leftMs > 0 ? this.#token : undefined;
  }

  /** Refuses the batch it is in where another gateway has taken the lease. */
  held(): Change {
    return { hold: 'leases', where: { name: this.name, token: this.#token ?? -1 } };
  }

  /** What the database said: the token where it is this gateway's, undefined where it said nothing. */
  answered(token: number | 'not ours' | undefined, askedAt: number): void {
    if (this.#token !== undefined && token !== this.#token && (token !== undefined || this.leftMs === 0))
      this.lose();
    if (typeof token !== 'number') return;
    this.#token = token;
    this.#until = askedAt + this.lastsMs;
  }

  lose(): void {
    this.#token = undefined;
    this.#work.forget();
  }

  /** There is work on disk: who has the lease is to look for it now, wherever that is. */
  tell(): void {
    if (this.token === undefined) this.#publish();
    else void this.sweep();
  }

  /** Resolves when what is under way has ended. */
  get swept(): Promise<void> | undefined {
    return this.#sweeping;
  }

  /** Gives it up; resolves when what was under way has ended. */
  async end(): Promise<void> {
    this.lose();
    await this.#sweeping;
  }

  /** Looks for work now; where that is under way already, once more after it. */
  sweep(): Promise<void> {
    this.#again = this.#sweeping !== undefined;
    this.#sweeping ??= this.#sweep().finally(() => {
      this.#sweeping = undefined;
    });
    return this.#sweeping;
  }

  async #sweep(): Promise<void> {
    do {
      this.#again = false;
      if (this.token === undefined) return;
      try {
        await this.#work.sweep();
      } catch (error) {
        this.#failed(error);
      }
    } while (this.#again);
  }
}

/**
 * Which kinds of work this gateway does for all gateways of its database. One statement each second renews the leases it has
 * and takes those that ran out, by the database's clock; here each is counted as running out earlier, from before it was
 * asked for.
 */
export class Leases implements Duties {
  readonly #parts: LeasesParts;
  readonly #leases = new Map<string, Lease>();
  readonly #rounds: Rounds;
  #warned = false;

  constructor(parts: LeasesParts) {
    this.#parts = parts;
    this.#rounds = new Rounds(parts.runtime.realClock, parts.paces.beatMs, () => this.#round());
  }

  /** This gateway is to have its part in a kind of work; who has the lease has it for so long. */
  share(name: string, lastsMs: number, work: SharedWork): Lease {
    const { runtime, hints } = this.#parts;
    const subject = `leases.${name}`;
    const lease = new Lease({
      name,
      lastsMs,
      clock: runtime.realClock,
      work,
      failed: (error) => this.#failed(error),
      publish: () => hints.publish(subject),
    });
    hints.subscribe(subject, () => void lease.sweep());
    this.#leases.set(name, lease);
    return lease;
  }

  /** Asks now, and looks for work; resolves when that is done. */
  async look(): Promise<void> {
    await this.#rounds.now();
    await Promise.all([...this.#leases.values()].map((lease) => lease.swept));
  }

  /** Leaves the leases to others, at once where the database can be reached. The work has to have ended. */
  async close(): Promise<void> {
    await this.#rounds.stop();
    await Promise.all([...this.#leases.values()].map((lease) => lease.end()));
    const { store, gateways } = this.#parts;
    await store.beside((tx) => release(tx, gateways.id)).catch(() => {});
  }

  /** It waits for no sweep: a long one must not let the leases run out. */
  async #round(): Promise<void> {
    const { store, runtime, gateways } = this.#parts;
    const leases = [...this.#leases.values()];
    if (leases.length === 0) return;
    const askedAt = runtime.realClock.monotonic();
    try {
      const tokens = await store.beside((tx) => ask(tx, gateways.id, leases));
      for (const lease of leases) lease.answered(tokens.get(lease.name) ?? 'not ours', askedAt);
      this.#warned = false;
    } catch (error) {
      this.#failed(error);
      for (const lease of leases) lease.answered(undefined, askedAt);
    }
    for (const lease of leases) void lease.sweep();
  }

  #failed(error: unknown): void {
    if (this.#warned || isGone(error)) return; // the store says that its database is gone
    this.#warned = true;
    const message = `what falls due could not be looked for: ${error instanceof Error ? error.message : error}`;
    this.#parts.runtime.journal.add('warning', { message });
  }
}

/** A lease that runs out so much later than a new one was taken before the database's clock was set back. */
const clockSetBackMs = 60_000;

/** The tokens of those that are this gateway's now. All gateways take the rows in the same order. */
async function ask(
  tx: Tx,
  gatewayId: string,
  leases: readonly Pick<Lease, 'name' | 'lastsMs'>[],
): Promise<Map<string, number>> {
  const rows = leases.map(
    ({ name, lastsMs }) => sql`(${name}, ${gatewayId}, 1, ${databaseNow} + ${lastsMs}::bigint)`,
  );
  const { rows: ours } = await sql<{ name: string; token: number }>`
    insert into leases (name, gateway_id, token, expires_at) values ${sql.join(rows)}
    on conflict (name) do update set
      token = leases.token + (leases.gateway_id <> excluded.gateway_id)::integer,
      gateway_id = excluded.gateway_id,
      expires_at = excluded.expires_at
    where leases.gateway_id = excluded.gateway_id or leases.expires_at <= ${databaseNow}
      or leases.expires_at > excluded.expires_at + ${clockSetBackMs}::bigint
    returning name, token`.execute(tx);
  return new Map(ours.map(({ name, token }) => [name, token]));
}

async function release(tx: Tx, gatewayId: string): Promise<void> {
  await tx.updateTable('leases').set({ expires_at: 0 }).where('gateway_id', '=', gatewayId).execute();
}
