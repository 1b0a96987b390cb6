import type { WebhookAttemptRow, WebhookDeliveryRow } from '../../../gateway/store/rows/webhooks.ts';
import type { RowChange } from '../../../gateway/store/schema.ts';
import type { CommitResult } from '../../../shared/database/change.ts';
import { matchesColumns } from '../disk.ts';

/** The number of attempts in the schedule (B107). */
const mostTries = 10;

/**
 * Keeps the tables of webhook deliveries in memory, with the constraints that a database would enforce. After each
 * batch it checks the invariants of deliveries.
 */
export class DeliveryDisk {
  readonly deliveries = new Map<string, WebhookDeliveryRow>();
  readonly disabled = new Set<string>();
  readonly #attempts = new Map<string, WebhookAttemptRow[]>();

  /**
   * Applies the whole batch or nothing of it.
   * @throws Error if an invariant is broken
   */
  commit(batch: readonly RowChange[]): CommitResult {
    if (!batch.every((change) => this.#takes(change)))
      return { is: 'refused', because: 'version', error: new Error('another row than is stored') };
    const former = new Map(this.deliveries);
    for (const change of batch) this.#apply(change);
    for (const [id, row] of this.deliveries) if (row !== former.get(id)) this.#check(former.get(id), row);
    return { is: 'applied' };
  }

  #takes(change: RowChange): boolean {
    if (!('update' in change) || change.update !== 'webhook_deliveries' || change.rows === 'any') return true;
    return matchesColumns(this.deliveries.get(String(change.where.id)), change.where);
  }

  #apply(change: RowChange): void {
    if ('insert' in change && change.insert === 'webhook_deliveries')
      this.deliveries.set(change.row.id, change.row as WebhookDeliveryRow);
    else if ('insert' in change && change.insert === 'webhook_attempts')
      this.#attempts.set(change.row.delivery_id, [
        ...this.attemptsOf(change.row.delivery_id),
        change.row as WebhookAttemptRow,
      ]);
    else if ('update' in change && change.update === 'webhooks') this.disabled.add(String(change.where.id));
    else if ('update' in change && change.update === 'webhook_deliveries')
      for (const row of this.deliveries.values())
        if (matchesColumns(row, change.where)) this.deliveries.set(row.id, { ...row, ...change.set });
  }

  attemptsOf(id: string): readonly WebhookAttemptRow[] {
    return this.#attempts.get(id) ?? [];
  }

  #check(former: WebhookDeliveryRow | undefined, row: WebhookDeliveryRow): void {
    const { id, state, tries } = row;
    if (former?.state === 'delivered' && state !== 'delivered')
      throw new Error(`${id} was delivered and is ${state}`);
    if (former?.state === 'failed' && state === 'pending')
      throw new Error(`${id} has failed and waits again`);
    if ((state === 'pending') !== (row.due_at !== null) || (state === 'pending') !== (row.ended_at === null))
      throw new Error(`${id} is ${state} and says otherwise when`);
    const made = this.attemptsOf(id).filter(({ by }) => by === 'schedule').length;
    if (made !== tries) throw new Error(`${id} was tried ${made} times and counts ${tries}`);
    if (state === 'pending' && tries >= mostTries) throw new Error(`${id} waits after ${tries} tries`);
    const isTaken = this.attemptsOf(id).some(({ status }) => status === 200);
    if (isTaken !== (state === 'delivered')) throw new Error(`${id} is ${state}, and was taken: ${isTaken}`);
  }
}
