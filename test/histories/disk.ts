import type { Insertable } from 'kysely';
import {
  movesMoney,
  noAttempts,
  type PaymentAttempts,
  withLedgerEntry,
} from '../../gateway/acquirer/attempts.ts';
import {
  makeWaitingState,
  type OpenState,
  paymentFromRow,
  restoreLostState,
  restoreOpenState,
} from '../../gateway/payments/core/states.ts';
import type { StoredPayment } from '../../gateway/payments/core/step.ts';
import { makeStoredPayment } from '../../gateway/payments/moving/rows.ts';
import type { LedgerRow } from '../../gateway/store/rows/acquirer.ts';
import type { OpenPaymentRow, PaymentResultRow, PaymentRow } from '../../gateway/store/rows/payments.ts';
import type { RowChange } from '../../gateway/store/schema.ts';

type Addition = Extract<RowChange, { add: 'given_back' }>;

/** Keeps the tables of payments in memory, with the constraints that a database would enforce. */
export class Disk {
  readonly payments = new Map<string, PaymentRow>();
  readonly open = new Map<string, OpenPaymentRow>();
  readonly results = new Map<string, PaymentResultRow>();
  readonly ledger = new Map<string, LedgerRow[]>();
  /** For each payment, the amount that was given back. It includes the amounts of open reversals. */
  readonly givenBack = new Map<string, number>();
  terminal = true;

  /** Applies a whole batch. It throws if a change is impossible, because then the decision was wrong. */
  apply(batch: readonly RowChange[]): void {
    for (const change of batch) {
      if ('insert' in change) this.#insert(change);
      else if (isAddition(change)) this.#add(change);
      else if ('update' in change && change.update === 'open_payments') {
        const id = String(change.where.payment_id);
        const row = this.open.get(id);
        if (!row) throw new Error(`no open payment ${id} to update`);
        this.open.set(id, { ...row, ...change.set });
      } else if ('delete' in change && change.delete === 'open_payments') {
        if (!this.open.delete(String(change.where.payment_id))) throw new Error('no open payment to delete');
      } else if ('delete' in change && change.delete === 'terminals') this.terminal = false;
    }
  }

  /** Whether the rows that the batch requires or changes have the values that the batch expects. */
  takes(batch: readonly RowChange[]): boolean {
    return batch.every((change) => {
      if ('hold' in change && change.hold === 'payments')
        return matchesColumns(this.payments.get(String(change.where.id)), change.where);
      if ('hold' in change && change.hold === 'open_payments')
        return matchesColumns(this.open.get(String(change.where.payment_id)), change.where);
      if ('update' in change && change.update === 'open_payments')
        return matchesColumns(this.open.get(String(change.where.payment_id)), change.where);
      return !isAddition(change) || this.canAdd(change);
    });
  }

  /**
   * Whether the database would accept an addition: the stored amount and the added amount together must not exceed
   * the addition's limit.
   */
  canAdd({ where, by, atMost }: Addition): boolean {
    const counted = this.givenBack.get(String(where.original_id));
    return counted === undefined || counted + by <= atMost;
  }

  /** Whether the payment may have been sent to a terminal. */
  isDelivered(id: string): boolean {
    return this.open.get(id)?.delivered_at != null;
  }

  isAborted(id: string): boolean {
    return this.open.get(id)?.abort_requested_at != null;
  }

  isAuthorized(id: string, attempt: string): boolean {
    const kind = this.attempts(id).byId.get(attempt)?.answer?.kind;
    return kind !== undefined && movesMoney(kind);
  }

  attempts(id: string): PaymentAttempts {
    return (this.ledger.get(id) ?? []).reduce(withLedgerEntry, noAttempts);
  }

  stored(id: string): StoredPayment | undefined {
    const row = this.payments.get(id);
    return row && makeStoredPayment(row, this.results.get(id), this.attempts(id));
  }

  /**
   * Returns the open payments as a new process finds them, or as another gateway finds them when it takes over the
   * terminal.
   */
  recovered(now: number, monotonic: number, by: 'next' | 'another'): OpenState[] {
    return [...this.open.values()].map((open) => {
      const row = this.payments.get(open.payment_id) as PaymentRow;
      const poiId = open.terminal_deleted_at === null ? 'poi' : '';
      const payment = paymentFromRow(row, { poiId, saleReferenceId: undefined, now, monotonic });
      const accepted = { ...makeWaitingState(payment), attempts: this.attempts(row.id) };
      if (by === 'next') return restoreOpenState(open, accepted);
      return restoreLostState(open, accepted, { now, monotonic });
    });
  }

  #add({ where, by }: Addition): void {
    const id = String(where.original_id);
    this.givenBack.set(id, (this.givenBack.get(id) ?? 0) + by);
  }

  #insert(change: Extract<RowChange, { insert: string }>): void {
    const once = <Row>(table: Map<string, Row>, id: string, row: Row) => {
      if (table.has(id)) throw new Error(`${change.insert} has ${id} already`);
      table.set(id, row);
    };
    if (change.insert === 'payments') once(this.payments, change.row.id, change.row);
    else if (change.insert === 'open_payments') once(this.open, change.row.payment_id, openRow(change.row));
    else if (change.insert === 'payment_results') once(this.results, change.row.payment_id, change.row);
    else if (change.insert === 'ledger') {
      const row = change.row as LedgerRow;
      this.ledger.set(row.payment_id, [...(this.ledger.get(row.payment_id) ?? []), row]);
    }
  }
}

/** Whether a change adds something to an amount in the table `given_back`. An addition never changes anything else. */
export function isAddition(change: RowChange): change is Addition {
  return 'add' in change && change.add === 'given_back';
}

/** Returns a new row in which the schema's default values are filled in. */
function openRow(row: Insertable<OpenPaymentRow>): OpenPaymentRow {
  return { ...nothingYet, ...row };
}

const nothingYet = {
  delivered_at: null,
  deadline_at: null,
  abort_requested_at: null,
  terminal_deleted_at: null,
  abort_asked_at: null,
  abort_acknowledged_at: null,
};

export function matchesColumns(row: object | undefined, where: object): boolean {
  const columns = new Map(Object.entries(row ?? {}));
  return (
    row !== undefined && Object.entries(where).every(([name, value]) => (columns.get(name) ?? null) === value)
  );
}
