import { PeriodicRunner } from '../../../shared/rounds.ts';
import type { PaymentEngineMakerParts } from '../../payments/running.ts';
import type { Tx } from '../../store/schema.ts';
import type { Cluster } from '../cluster.ts';
import type { TerminalPartition } from './terminal-partition.ts';

interface MissedWorkSweepsParts extends Pick<PaymentEngineMakerParts, 'runtime' | 'store' | 'open' | 'poi'> {
  cluster: Cluster;
  partition: TerminalPartition;
}

/**
 * The connected terminals are divided into this many parts, and each second the gateway checks one part. It would cost
 * the database too much to check ten thousand terminals each second. Terminals with an open payment are all checked
 * each second.
 */
const linkedSlices = 16;

/**
 * Looks for work every second, because a message about new work may have been lost. Other gateways may have stored
 * payments and aborts for this gateway's terminals. A dead gateway may have left open payments. Another gateway may
 * have taken a terminal.
 */
export class MissedWorkSweeps {
  readonly #parts: MissedWorkSweepsParts;
  readonly #rounds: PeriodicRunner;
  #slice = 0;

  constructor(parts: MissedWorkSweepsParts) {
    this.#parts = parts;
    this.#rounds = new PeriodicRunner(parts.runtime.realClock, parts.cluster.paces.beatMs, () =>
      this.#sweep(),
    );
  }

  stop(): void {
    void this.#rounds.stop();
  }

  async #sweep(): Promise<void> {
    await this.#giveUpDead();
    await this.#takeLeftPayments();
    await this.#verifyOwned();
  }

  /** Declares a gateway dead if it has not stored a heartbeat for too long. */
  async #giveUpDead(): Promise<void> {
    const { runtime, cluster } = this.#parts;
    for (const name of await cluster.gateways.giveUpDead())
      runtime.journal.add('warning', {
        message: `the gateway ${name} is gone: this gateway takes over its open payments`,
      });
  }

  /** Continues payments that this gateway does not know yet, and takes over the terminals of dead gateways. */
  async #takeLeftPayments(): Promise<void> {
    const { store, cluster, partition } = this.#parts;
    const left = await store.read((db) => readLeftTo(db, cluster.gateways.id));
    const unknown = left.filter((row) => row.owner === null || !partition.isAt(row));
    const terminals = new Map(unknown.map((row) => [row.terminal_id, row]));
    await Promise.all(
      [...terminals.values()].map(({ terminal_id: id, owner, epoch }) =>
        owner !== null && partition.isOurs(id) ? partition.handleStored(id) : partition.takeOver(id, epoch),
      ),
    );
  }

  /** Gives up the terminals that another gateway has taken. */
  async #verifyOwned(): Promise<void> {
    const { cluster, open, partition } = this.#parts;
    const linked = this.#someLinked();
    const lost = await cluster.ownership.lostOf([...open.terminals, ...linked]);
    for (const id of [...lost, ...linked.filter((id) => !partition.isOurs(id))]) await partition.verify(id);
  }

  /**
   * Gives a part of the connected terminals, a different part at each call. The gateway must check these terminals,
   * because an idle terminal sends nothing that would show that another gateway owns it.
   */
  #someLinked(): string[] {
    this.#slice = (this.#slice + 1) % linkedSlices;
    return [...this.#parts.poi.connectedTerminals()].filter((_, at) => at % linkedSlices === this.#slice);
  }
}

/**
 * Reads the open payments on two kinds of terminals: terminals that belong to this gateway according to the database,
 * and terminals without a living owner.
 */
function readLeftTo(db: Tx, gatewayId: string) {
  return db
    .selectFrom('open_payments as open')
    .leftJoin('terminal_owners', 'terminal_owners.terminal_id', 'open.terminal_id')
    .leftJoin('gateways', (join) =>
      join.onRef('gateways.id', '=', 'terminal_owners.gateway_id').on('gateways.ended', '=', 0),
    )
    .select(['open.payment_id', 'open.terminal_id', 'open.abort_asked_at', 'open.abort_acknowledged_at'])
    .select(['terminal_owners.epoch', 'gateways.id as owner'])
    .where((where) => where.or([where('gateways.id', 'is', null), where('gateways.id', '=', gatewayId)]))
    .execute();
}
