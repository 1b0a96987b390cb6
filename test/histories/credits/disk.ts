import type { EventStore } from '../../../gateway/events/service.ts';
import type { NewEvent } from '../../../gateway/events/stored-event.ts';
import type { CreditRow, VerifiedCreditVisitorRow } from '../../../gateway/store/rows/credits.ts';
import type { RowChange } from '../../../gateway/store/schema.ts';
import type { CommitResult } from '../../../shared/database/change.ts';
import { formatDecimalAmount } from '../../../shared/money.ts';
import { matchesColumns } from '../disk.ts';

/** The credit that a batch changes, and the event that reports the change. */
export type CreditReport = Parameters<EventStore['commit']>[1];

/** A payment link is locked after this many wrong answers of the customer (B100). */
const mostTries = 3;

/**
 * Keeps the tables of credits in memory, with the constraints that a database would enforce. After each batch it checks
 * the invariants of credits.
 */
export class CreditDisk {
  readonly credits = new Map<string, CreditRow>();
  readonly visits = new Map<string, VerifiedCreditVisitorRow>();
  readonly events = new Map<string, NewEvent[]>();
  readonly #tries = new Map<string, number>();
  #version = 0;

  /**
   * Applies the whole batch or nothing of it.
   * @throws Error if an invariant is broken
   */
  commit(records: readonly RowChange[], report: CreditReport | undefined, now: number): CommitResult {
    const changed = report?.changedRow;
    const made = records.some((record) => 'insert' in record && record.insert === 'credits');
    const isCurrent = made || !changed || this.credits.get(changed.id)?.version === changed.version;
    if (!isCurrent || !records.every((record) => this.#takes(record)))
      return { is: 'refused', because: 'version', error: new Error('another row than is stored') };
    const former = changed && this.credits.get(changed.id);
    for (const record of records) this.#apply(record);
    const row = changed && this.credits.get(changed.id);
    if (row) this.credits.set(row.id, { ...row, version: ++this.#version });
    const { event } = report ?? {};
    if (event) this.events.set(event.resourceId, [...(this.events.get(event.resourceId) ?? []), event]);
    if (row) this.#check(former, row, now);
    return { is: 'applied' };
  }

  #takes(record: RowChange): boolean {
    if (!('update' in record) || record.update !== 'credits') return true;
    return matchesColumns(this.credits.get(String(record.where.id)), record.where);
  }

  #apply(record: RowChange): void {
    if ('insert' in record && record.insert === 'credits')
      this.credits.set(record.row.id, record.row as CreditRow);
    else if ('insert' in record && record.insert === 'credit_visits')
      this.visits.set(record.row.id, record.row as VerifiedCreditVisitorRow);
    else if ('update' in record && record.update === 'credits') {
      const row = this.credits.get(String(record.where.id)) as CreditRow;
      this.credits.set(row.id, { ...row, ...record.set });
    } else if ('update' in record && record.update === 'credit_visits') {
      const visit = this.visits.get(String(record.where.id));
      if (visit) this.visits.set(visit.id, { ...visit, ...record.set });
    } else if ('delete' in record && record.delete === 'credit_visits') {
      for (const { id, credit_id } of this.visits.values())
        if (credit_id === record.where.credit_id) this.visits.delete(id);
    }
  }

  #check(former: CreditRow | undefined, row: CreditRow, now: number): void {
    const { id, state } = row;
    if (former && former.state !== 'initiated' && standing(former) !== standing(row))
      throw new Error(`${id} has ended and moves again`);
    const told = (this.events.get(id) ?? []).map(({ type }) => type.replace('payments.credits.', ''));
    const moved = state === 'initiated' ? ['initiated'] : ['initiated', state];
    if (told.join() !== moved.join()) throw new Error(`${id} moved ${moved} and told ${told}`);
    const { data } = this.events.get(id)?.at(-1) ?? {};
    if (data && 'amount' in data && data.amount !== formatDecimalAmount(row.amount, row.currency))
      throw new Error(`${id} is told with another amount than is on disk`);
    if (state !== 'initiated' && [...this.visits.values()].some(({ credit_id }) => credit_id === id))
      throw new Error(`${id} has ended and is visited`);
    if (state === 'completed') this.#checkPaid(former, row);
    if (former) this.#checkTries(former, row, now);
  }

  #checkPaid(former: CreditRow | undefined, row: CreditRow): void {
    if (former?.state !== 'initiated') return;
    if (row.bank_masked === null) throw new Error(`${row.id} is paid to nobody`);
    if (row.refusal !== null) throw new Error(`${row.id} is paid though its bank refuses`);
    if (Number(row.ended_at) >= row.expires_at) throw new Error(`${row.id} is paid after its time`);
  }

  /**
   * Checks how many attempts a payment link has left. A right answer gives all attempts back. The end of a lock
   * gives all attempts back, too.
   */
  #checkTries(former: CreditRow, row: CreditRow, now: number): void {
    const { id } = row;
    const counts = row.wrong_answers !== former.wrong_answers || row.locked_until !== former.locked_until;
    if (!counts) return;
    if (row.wrong_answers === 0) return void this.#tries.set(id, 0);
    if (former.locked_until !== null && now < former.locked_until)
      throw new Error(`${id} is tried while locked`);
    const tries = (former.locked_until === null ? (this.#tries.get(id) ?? 0) : 0) + 1;
    this.#tries.set(id, tries);
    if (tries > mostTries || (tries === mostTries && row.locked_until === null))
      throw new Error(`${id} takes more tries than ${mostTries}`);
  }
}

function standing({ state, why, bank_masked, ended_at, refusal, amount }: CreditRow): string {
  return JSON.stringify([state, why, bank_masked, ended_at, refusal, amount]);
}
