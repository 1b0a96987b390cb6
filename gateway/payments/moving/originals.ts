import type { Owner } from '../../store/ownership.ts';
import type { Tx } from '../../store/schema.ts';
import { isPossibleReference, type OriginalPayment, type OriginalReference } from '../core/giving-back.ts';
import { readStoredOutcome, type StoredOutcome } from '../core/outcome.ts';

/** Finds the payment that is to be reversed; undefined if the caller has no such payment. */
export async function findOriginalPayment(
  db: Tx,
  owner: Owner,
  reference: OriginalReference,
): Promise<OriginalPayment | undefined> {
  if ('id' in reference) return readOriginal(db, owner, reference.id.toLowerCase());
  const { pspReference, terminalReference } = reference;
  const known = await idOf(db, owner, pspReference);
  const id = known ?? (await failedIdOf(db, owner, terminalReference ?? pspReference));
  const original = id === undefined ? undefined : await readOriginal(db, owner, id);
  if (terminalReference === undefined || known === undefined) return original;
  return terminalReferenceIn(original?.outcome) === terminalReference ? original : undefined;
}

/**
 * Finds the payment to which the host gave this reference, and returns the payment's identifier. The payment may also
 * be a reversal or a refund, which cannot be reversed.
 */
async function idOf(db: Tx, { accountId, environment }: Owner, pspReference: string) {
  const entry = await db
    .selectFrom('ledger')
    .select('payment_id')
    .where('psp_reference', '=', pspReference)
    .where('refund_id', 'is', null)
    .where('account_id', '=', accountId)
    .where('environment', '=', environment)
    .limit(1)
    .executeTakeFirst();
  return entry?.payment_id;
}

/** Finds the failed payment whose answer has this reference. The payment may also be a reversal or a refund. */
async function failedIdOf(db: Tx, { accountId, environment }: Owner, reference: string) {
  if (!isPossibleReference(reference)) return undefined;
  const failed = await db
    .selectFrom('payment_results')
    .innerJoin('payments', 'id', 'payment_id')
    .select('payment_id')
    .where('failed_reference', '=', reference)
    .where('account_id', '=', accountId)
    .where('environment', '=', environment)
    .orderBy('payment_id')
    .limit(1)
    .executeTakeFirst();
  return failed?.payment_id;
}

async function readOriginal(db: Tx, owner: Owner, id: string): Promise<OriginalPayment | undefined> {
  const row = await db
    .selectFrom('payments')
    .leftJoin('payment_results', 'payment_id', 'id')
    .leftJoin('given_back', 'given_back.original_id', 'id')
    .select(['id', 'kind', 'currency', 'total', 'answer', 'outcome', 'given_back.amount as given_back'])
    .where('id', '=', id)
    .where('account_id', '=', owner.accountId)
    .where('environment', '=', owner.environment)
    .executeTakeFirst();
  if (!row) return undefined;
  return {
    id: row.id,
    kind: row.kind,
    currency: row.currency,
    outcome: readStoredOutcome(row),
    taken: Number(row.total ?? 0),
    givenBack: Number(row.given_back ?? 0),
  };
}

function terminalReferenceIn(outcome: StoredOutcome | undefined): string | undefined {
  return outcome && 'payment' in outcome ? outcome.references?.terminal.id : undefined;
}
