import { standingIn } from '../../gateway/acquirer/attempts.ts';
import type { Effect } from '../../gateway/payments/core/effects.ts';
import { outcomeText } from '../../gateway/payments/core/outcome.ts';
import type { Disk } from './disk.ts';

/** What must be true of the disk after every commit: nothing of it waits for what may never come. */
export function checkDisk(disk: Disk): void {
  for (const [id, entries] of disk.ledger) {
    const standing = [...disk.standing(id).attempts.values()].filter(
      ({ answer, ended }) => answer?.kind === 'authorized' && !ended,
    );
    if (standing.length > 1) throw new Error(`${standing.length} authorizations of ${id} stand`);
    const moved = entries.reduce((sum, { kind, amount }) => sum + (signs[kind] ?? 0) * amount, 0);
    const result = disk.results.get(id);
    if (result && moved !== (result.total ?? 0))
      throw new Error(`${id} reported ${result.total}, moved ${moved}`);
  }
  for (const [id, { result, total }] of disk.results) {
    if (disk.open.has(id)) throw new Error(`${id} is concluded and open`);
    const stands = standingIn(disk.standing(id));
    if ((result === 'success') !== (stands !== undefined))
      throw new Error(`${id} is reported as ${result} at ${total}`);
  }
  for (const id of disk.payments.keys())
    if (!disk.open.has(id) && !disk.results.has(id)) throw new Error(`${id} is neither open nor concluded`);
  const there = [...disk.open.values()].filter((row) => row.terminal_deleted_at === null);
  if (there.length > 1) throw new Error(`${there.length} payments are open on one terminal`);
}

const signs: Partial<Record<string, number>> = { authorized: 1, reversed: -1 };

/** That an effect comes after what it depends on is on disk. */
export function checkEffect(effect: Effect, disk: Disk): void {
  if (effect.do === 'deliver' && !disk.isDelivered(effect.payment.id))
    throw new Error(`${effect.payment.id} is sent and not on disk as delivered`);
  if (effect.do === 'deliver' && disk.payments.get(effect.payment.id)?.amount !== effect.payment.amount)
    throw new Error(`${effect.payment.id} is sent with another amount than is on disk`);
  if (effect.do === 'abort' && !disk.isAborted(effect.payment.id))
    throw new Error(`an abort of ${effect.payment.id} is sent and not on disk`);
  if (effect.do === 'answer') {
    const row = disk.results.get(effect.paymentId);
    if (row?.outcome !== outcomeText(effect.outcome))
      throw new Error(`${effect.paymentId} is answered and not on disk`);
  }
  if (effect.do !== 'reply' || effect.response.Type !== 'Authorize' || !effect.response.Approved) return;
  const { PaymentReference: id, AttemptID } = effect.response;
  if (!disk.isAuthorized(id, AttemptID)) throw new Error(`an approval of ${id} is sent and not on disk`);
}
