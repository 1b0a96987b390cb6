import { toDebitEntryInMemory } from '../../../gateway/acquirer/debit-ledger.ts';
import type { EventStore } from '../../../gateway/events/service.ts';
import type { NewEvent } from '../../../gateway/events/stored-event.ts';
import { computeDebitRefundAmounts } from '../../../gateway/saved-cards/core/refundability.ts';
import type { StoredDebit } from '../../../gateway/saved-cards/core/step.ts';
import type { LedgerKind, LedgerRow } from '../../../gateway/store/rows/acquirer.ts';
import type { RefundLimitRow, RefundRow } from '../../../gateway/store/rows/refunds.ts';
import type { DebitRow } from '../../../gateway/store/rows/saved-cards.ts';
import type { RowChange } from '../../../gateway/store/schema.ts';
import type { CommitResult } from '../../../shared/database/change.ts';
import { formatDecimalAmount } from '../../../shared/money.ts';
import { matchesColumns } from '../disk.ts';

/** The debit that a batch changes, and the event that reports the change. */
type Report = Parameters<EventStore['commit']>[1];

/**
 * Keeps the tables of debits and refunds in memory, with the constraints that a database would enforce. After each
 * batch it checks the invariants of debits and refunds.
 */
export class DebitDisk {
  readonly debits = new Map<string, DebitRow>();
  readonly refunds = new Map<string, RefundRow>();
  readonly #limits = new Map<string, RefundLimitRow>();
  readonly #ledger = new Map<string, LedgerRow[]>();
  /** For each debit and each refund, its states so far, in order, and the events that were sent about it. */
  readonly #moves = new Map<string, string[]>();
  readonly #told = new Map<string, NewEvent[]>();
  #version = 0;

  /** Returns everything that is stored about a debit. */
  stored(id: string): StoredDebit | undefined {
    const debit = this.debits.get(id);
    return (
      debit && {
        debit,
        entries: this.#entries(id).map(toDebitEntryInMemory),
        refunds: this.#refundsOf(id),
        limit: this.#limits.get(id),
      }
    );
  }

  /**
   * Applies the whole batch or nothing of it. With `versions`, refuses the batch if the stored debit has changed since
   * the decision that made the batch.
   * @throws Error if an invariant is broken
   */
  commit(
    records: readonly RowChange[],
    { changedRow, event }: Report,
    now: number,
    versions: boolean,
  ): CommitResult {
    const id = String(changedRow?.id);
    const former = this.stored(id);
    const isCurrent = !versions || !former || former.debit.version === changedRow?.version;
    if (!isCurrent || !records.every((record) => this.#takes(record)))
      return { is: 'refused', because: 'version', error: new Error('another row than is stored') };
    for (const record of records) this.#apply(record);
    const debit = this.debits.get(id);
    if (debit && versions) this.debits.set(id, { ...debit, version: ++this.#version });
    if (event) add(this.#told, event.resourceId, event);
    const stored = this.stored(id);
    if (stored) this.#check(former, stored, now);
    return { is: 'applied' };
  }

  #takes(record: RowChange): boolean {
    if ('insert' in record && record.insert === 'refund_limits')
      return !this.#limits.has(record.row.debit_id);
    if (!('update' in record)) return true;
    if (record.update === 'debits')
      return matchesColumns(this.debits.get(String(record.where.id)), record.where);
    return (
      record.update !== 'refunds' || matchesColumns(this.refunds.get(String(record.where.id)), record.where)
    );
  }

  #apply(record: RowChange): void {
    if ('insert' in record) {
      if (record.insert === 'debits') this.debits.set(record.row.id, record.row as DebitRow);
      else if (record.insert === 'refunds') this.refunds.set(record.row.id, record.row as RefundRow);
      else if (record.insert === 'ledger') add(this.#ledger, record.row.payment_id, record.row as LedgerRow);
      else if (record.insert === 'refund_limits')
        this.#limits.set(record.row.debit_id, record.row as RefundLimitRow);
    } else if ('update' in record) {
      if (record.update === 'debits') changed(this.debits, String(record.where.id), record.set);
      else if (record.update === 'refunds') changed(this.refunds, String(record.where.id), record.set);
      else if (record.update === 'refund_limits')
        changed(this.#limits, String(record.where.debit_id), record.set);
    }
  }

  #check(former: StoredDebit | undefined, stored: StoredDebit, now: number): void {
    const { debit } = stored;
    if (former && former.debit.state !== 'preauthorized' && standing(former.debit) !== standing(debit))
      throw new Error(`${debit.id} has ended and moves again`);
    for (const refund of stored.refunds) checkMove(refundIn(former, refund), refund, now);
    this.#checkMoney(stored);
    checkTime(former, debit);
    this.#checkTold(debit, debit.state, former?.debit.state);
    for (const refund of stored.refunds) {
      const before = refundIn(former, refund);
      if (former && !before) checkNew(former, refund);
      this.#checkTold(refund, refund.status, before?.status);
    }
  }

  /**
   * Checks that the issuer moved the amounts of the debit and of its refunds once, and that refunds never gave back
   * more than the debit took.
   */
  #checkMoney(stored: StoredDebit): void {
    const { id, state, amount, surcharge } = stored.debit;
    const [captured, authorized] = [this.#sum(id, 'captured'), this.#sum(id, 'authorized')];
    const back = this.#sum(id, 'refunded') - this.#sum(id, 'returned');
    if (back > captured) throw new Error(`${id} took ${captured} and gives ${back} back`);
    const count = (kind: LedgerKind) => this.#entries(id).filter((entry) => entry.kind === kind).length;
    if (count('captured') > 1 || count('authorized') > 1)
      throw new Error(
        `${id} is authorized ${count('authorized')} times, captured ${count('captured')} times`,
      );
    const { processing, submitted, charged } = computeDebitRefundAmounts(stored);
    if (processing + submitted > charged) throw new Error(`${id} has more refunds than was taken`);
    const held = authorized - this.#sum(id, 'reversed');
    const taken = state === 'paid' ? amount + surcharge : 0;
    const open = state === 'preauthorized' ? amount + surcharge : taken;
    if (held !== open || captured !== taken)
      throw new Error(`${id} is ${state}, and ${held} are held and ${captured} captured`);
    for (const { id: refundId, status, amount } of stored.refunds) {
      const moved = this.#sum(id, 'refunded', refundId) - this.#sum(id, 'returned', refundId);
      if (moved !== (status === 'submitted' ? amount : 0))
        throw new Error(`refund ${refundId} is ${status}, and ${moved} are moved`);
    }
  }

  /** Checks that each change has one event, and that the event agrees with the disk. */
  #checkTold(
    { id, amount, currency }: DebitRow | RefundRow,
    status: string,
    before: string | undefined,
  ): void {
    if (before !== status) add(this.#moves, id, status);
    const events = this.#told.get(id) ?? [];
    const moved = this.#moves.get(id) ?? [];
    const told = events.map(({ data }) => ('status' in data ? data.status : ''));
    if (told.join() !== moved.join()) throw new Error(`${id} moved ${moved} and told ${told}`);
    const { data } = events.at(-1) ?? {};
    if (data && 'amount' in data && data.amount !== formatDecimalAmount(amount, currency))
      throw new Error(`${id} is ${status} and told with another amount than is on disk`);
  }

  #sum(id: string, kind: LedgerKind, refundId?: string): number {
    return this.#entries(id)
      .filter((entry) => entry.kind === kind && (refundId === undefined || entry.refund_id === refundId))
      .reduce((sum, { amount }) => sum + amount, 0);
  }

  #entries(id: string): readonly LedgerRow[] {
    return this.#ledger.get(id) ?? [];
  }

  #refundsOf(id: string): RefundRow[] {
    return [...this.refunds.values()].filter(({ debit_id }) => debit_id === id);
  }
}

/** Matches the reasons of refunds whose state changed without a request. */
const byItself = /^the refund was sent|test card makes/;

function refundIn(stored: StoredDebit | undefined, { id }: RefundRow): RefundRow | undefined {
  return stored?.refunds.find((each) => each.id === id);
}

function checkTime(former: StoredDebit | undefined, { id, state, captured_at, expires_at }: DebitRow): void {
  const isCaptured = former?.debit.state === 'preauthorized' && state === 'paid';
  if (isCaptured && Number(captured_at) >= Number(expires_at))
    throw new Error(`${id} is captured after its time`);
}

const later = { processing: ['submitted', 'failed'], submitted: ['failed'], failed: [] as string[] };

function checkMove(before: RefundRow | undefined, { id, status, why }: RefundRow, now: number): void {
  if (!before || before.status === status) return;
  if (!later[before.status].includes(status))
    throw new Error(`refund ${id} was ${before.status} and is ${status}`);
  if (byItself.test(why) && now < Number(before.due_at))
    throw new Error(`refund ${id} goes on before its moment`);
}

/** Checks that the amount of a new refund does not exceed what was left of the debit. */
function checkNew(former: StoredDebit, { amount }: RefundRow): void {
  const { closedReason, refundable, blocked } = computeDebitRefundAmounts(former);
  const { id } = former.debit;
  if (closedReason !== null) throw new Error(`${id} is closed and refunded`);
  if (amount > refundable - blocked) throw new Error(`${id} has ${blocked} blocked, and ${amount} refunded`);
}

function standing({ version: _, ...row }: DebitRow): string {
  return JSON.stringify(row);
}

function add<Value>(lists: Map<string, Value[]>, id: string, value: Value): void {
  lists.set(id, [...(lists.get(id) ?? []), value]);
}

function changed<Row>(rows: Map<string, Row>, id: string, set: object): void {
  rows.set(id, { ...(rows.get(id) as Row), ...set });
}
