import { movesMoney } from '../../../gateway/acquirer/attempts.ts';
import type { OpenPaymentRow } from '../../../gateway/store/rows/payments.ts';
import type { RowChange } from '../../../gateway/store/schema.ts';
import { Disk, isAddition, matchesColumns } from '../disk.ts';

/** The gateway that owns the terminal: a row of `terminal_owners`. */
interface Owner {
  gateway_id: string;
  connected: number;
  epoch: number;
  instance: string | null;
  dial: number | null;
  dialled_epoch: number;
}

/** A gateway's process. */
export interface DiskClient {
  readonly name: string;
  /**
   * The identifiers by which the other gateways know this process. If they declare this process dead, it gets
   * another identifier.
   */
  readonly ids: Set<string>;
  dead: boolean;
  /** Whether this process will never get the answer to one of its batches. */
  stuck: boolean;
}

export type RefusalCause = 'version' | 'constraint';

/**
 * The disk of two gateways. It refuses what PostgreSQL would refuse, for example a change that the other gateway has
 * made impossible.
 */
export class SharedDisk extends Disk {
  owner: Owner | undefined;
  /** The identifiers of gateways that ended or were declared dead. */
  readonly ended = new Set<string>();
  readonly #owned = new Map<DiskClient, boolean>();
  readonly #delivered = new Set<string>();
  readonly #aborted = new Set<string>();

  override apply(batch: readonly RowChange[]): void {
    super.apply(batch);
    for (const [id, row] of this.open) {
      if (row.delivered_at !== null) this.#delivered.add(id);
      if (row.abort_requested_at !== null) this.#aborted.add(id);
    }
  }

  /**
   * Whether the payment has ever been marked on disk as delivered, even if the other gateway has ended the payment
   * since.
   */
  override isDelivered(id: string): boolean {
    return this.#delivered.has(id);
  }

  override isAborted(id: string): boolean {
    return this.#aborted.has(id);
  }

  override isAuthorized(id: string, attempt: string): boolean {
    const rows = this.ledger.get(id) ?? [];
    return rows.some(({ kind, attempt_id }) => movesMoney(kind) && attempt_id === attempt);
  }

  /**
   * Remembers whether the terminal belongs to the gateway that is storing a batch now. A gateway stores a batch during
   * the turn of an input, because it handles the inputs of one terminal one after the other.
   */
  note(gateway: DiskClient, batch: readonly RowChange[]): void {
    // a request for an abort is stored outside of turns
    if (batch.some((change) => 'update' in change && 'abort_asked_at' in change.set)) return;
    this.#owned.set(gateway, this.owner !== undefined && gateway.ids.has(this.owner.gateway_id));
  }

  /** The gateway's turn is over. */
  forget(gateway: DiskClient): void {
    this.#owned.delete(gateway);
  }

  owned(gateway: DiskClient): boolean {
    return this.#owned.get(gateway) === true;
  }

  /** Returns the reason why a batch cannot be applied, or undefined if all of it can be applied. */
  refusal(batch: readonly RowChange[]): RefusalCause | undefined {
    const open = new Map(this.open);
    for (const change of batch) {
      const refused = this.#refuses(change, open);
      if (refused) return refused;
    }
    return undefined;
  }

  /** Checks a change. `open` contains the open payments as the earlier changes of the same batch have left them. */
  #refuses(change: RowChange, open: Map<string, OpenPaymentRow>): RefusalCause | undefined {
    if ('insert' in change) return this.#refusesRow(change, open);
    if ('update' in change && change.update === 'open_payments') {
      const id = String(change.where.payment_id);
      const row = open.get(id);
      if (!row || !matchesColumns(row, change.where)) return 'version';
      open.set(id, { ...row, ...change.set });
    } else if ('delete' in change && change.delete === 'open_payments')
      return open.delete(String(change.where.payment_id)) ? undefined : 'version';
    else if ('delete' in change && change.delete === 'terminals')
      return this.terminal ? undefined : 'version';
    else if ('hold' in change) return this.#holds(change) ? undefined : 'version';
    else if (isAddition(change)) return this.canAdd(change) ? undefined : 'version';
    return undefined;
  }

  #refusesRow(
    change: Extract<RowChange, { insert: string }>,
    open: Map<string, OpenPaymentRow>,
  ): RefusalCause | undefined {
    if (change.insert === 'payments' && this.payments.has(change.row.id)) return 'constraint';
    if (change.insert === 'payment_results' && this.results.has(change.row.payment_id)) return 'constraint';
    if (change.insert !== 'open_payments') return undefined;
    const busy = [...open.values()].some((row) => row.terminal_deleted_at === null);
    return busy ? 'constraint' : undefined;
  }

  #holds(change: Extract<RowChange, { hold: string }>): boolean {
    if (change.hold === 'terminal_owners') return matchesColumns(this.owner, { epoch: change.where.epoch });
    if (change.hold === 'terminals') return this.terminal;
    return (
      change.hold !== 'payments' || matchesColumns(this.payments.get(String(change.where.id)), change.where)
    );
  }
}
