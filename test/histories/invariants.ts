import { findEntryInForce, movesMoney } from '../../gateway/acquirer/attempts.ts';
import type { Effect } from '../../gateway/payments/core/effects.ts';
import { outcomeJson } from '../../gateway/payments/core/outcome.ts';
import type { Disk } from './disk.ts';
import { paymentKindOf, reversalReferencePrefix } from './giving-back.ts';

/**
 * Checks the invariants of the disk after a commit. One of them is that no stored payment waits for an event that may
 * never come.
 */
export function checkDisk(disk: Disk): void {
  for (const [id, entries] of disk.ledger) {
    const standing = [...disk.attempts(id).byId.values()].filter(
      ({ answer, ended }) => answer && movesMoney(answer.kind) && !ended,
    );
    if (standing.length > 1) throw new Error(`${standing.length} authorizations of ${id} stand`);
    const moved = entries.reduce((sum, { kind, amount }) => sum + (signs[kind] ?? 0) * amount, 0);
    const result = disk.results.get(id);
    if (result && moved !== (result.total ?? 0))
      throw new Error(`${id} reported ${result.total}, moved ${moved}`);
    const kind = paymentKindOf(disk, id);
    const wrong = entries.find((entry) => ofOther[kind === 'payment' ? 'taken' : 'given'].has(entry.kind));
    if (wrong) throw new Error(`${id} is a ${kind}, and the host has ${wrong.kind} it`);
  }
  for (const [id, { result, total }] of disk.results) {
    if (disk.open.has(id)) throw new Error(`${id} is concluded and open`);
    const stands = findEntryInForce(disk.attempts(id));
    if ((result === 'success') !== (stands !== undefined))
      throw new Error(`${id} is reported as ${result} at ${total}`);
  }
  for (const id of disk.payments.keys())
    if (!disk.open.has(id) && !disk.results.has(id)) throw new Error(`${id} is neither open nor concluded`);
  const there = [...disk.open.values()].filter((row) => row.terminal_deleted_at === null);
  if (there.length > 1) throw new Error(`${there.length} payments are open on one terminal`);
  checkGivenBack(disk);
}

const signs: Partial<Record<string, number>> = { authorized: 1, reversed: -1, refunded: 1, returned: -1 };
/**
 * Kinds of ledger entries that the host must not write: those in `taken` for a payment, and those in `given` for a
 * transaction that gives money back.
 */
const ofOther = { taken: new Set(['refunded', 'returned']), given: new Set(['authorized', 'reversed']) };

/**
 * Checks that the amounts of all reversals of a payment are counted, including open reversals, and that together
 * they never exceed what the payment took.
 */
function checkGivenBack(disk: Disk): void {
  const reversed = new Map<string, number>();
  for (const { id, original_id: original, amount } of disk.payments.values())
    if (original !== null && disk.results.get(id)?.result !== 'failure')
      reversed.set(original, (reversed.get(original) ?? 0) + amount);
  for (const id of new Set([...reversed.keys(), ...disk.givenBack.keys()])) {
    const counted = disk.givenBack.get(id) ?? 0;
    const sum = reversed.get(id) ?? 0;
    if (counted !== sum)
      throw new Error(`${counted} is counted as given back of ${id}, and reversals give ${sum}`);
    const took = disk.results.get(id)?.total ?? 0;
    if (sum > took) throw new Error(`${id} took ${took}, and reversals of it give ${sum}`);
  }
}

/** Checks that the disk has everything that an effect depends on. */
export function checkEffect(effect: Effect, disk: Disk): void {
  if (effect.do === 'deliver' && !disk.isDelivered(effect.payment.id))
    throw new Error(`${effect.payment.id} is sent and not on disk as delivered`);
  if (effect.do === 'deliver' && disk.payments.get(effect.payment.id)?.amount !== effect.payment.amount)
    throw new Error(`${effect.payment.id} is sent with another amount than is on disk`);
  if (effect.do === 'deliver' && paymentKindOf(disk, effect.payment.id) !== effect.payment.kind)
    throw new Error(`${effect.payment.id} is sent as a ${effect.payment.kind}, and is another on disk`);
  if (effect.do === 'abort' && !disk.isAborted(effect.payment.id))
    throw new Error(`an abort of ${effect.payment.id} is sent and not on disk`);
  if (effect.do === 'answer') checkTold(effect, disk);
  if (effect.do !== 'reply' || effect.response.Type === 'Reverse' || !effect.response.Approved) return;
  const { PaymentReference: id, AttemptID } = effect.response;
  if (!disk.isAuthorized(id, AttemptID)) throw new Error(`an approval of ${id} is sent and not on disk`);
}

function checkTold({ paymentId: id, outcome }: Extract<Effect, { do: 'answer' }>, disk: Disk): void {
  const row = disk.results.get(id);
  if (row?.outcome !== outcomeJson(outcome)) throw new Error(`${id} is answered and not on disk`);
  const kind = paymentKindOf(disk, id);
  const named = outcome.references?.terminal.id.startsWith(reversalReferencePrefix) === true;
  if (row.decided_by === 'terminal' && named !== (kind === 'reversal'))
    throw new Error(`${id} is a ${kind}, and is told by an answer to another kind`);
}
