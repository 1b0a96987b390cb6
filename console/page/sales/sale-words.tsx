import { isSaleUntold } from '../../../shared/sales/is-untold.ts';
import type { Sale } from '../../../shared/sales/sale.ts';
import { MoneyText, StateWord } from '../records/fields.tsx';

/**
 * Returns the name that the point of sale gave to the sale. If there is no such name, returns the part of pinpad that
 * made the sale, or else the end of the idempotency key.
 */
export function saleNameOf({ saleReferenceId, idempotencyKey, own }: Sale): string {
  if (saleReferenceId !== null) return saleReferenceId;
  if (own !== null) return `(${own})`;
  return idempotencyKey === null ? '(no key)' : `key …${idempotencyKey.slice(-6)}`;
}

export function SaleAmount({ sale: { amount, total, currency } }: { sale: Sale }) {
  const paid = total ?? amount;
  return paid === null ? null : <MoneyText amount={paid} currency={currency ?? ''} />;
}

/**
 * Shows the mistakes in a sale, then the outcome of the sale. The mistakes come first, because there may be no room
 * for all of the text.
 */
export function SaleMistakesAndOutcome({ sale }: { sale: Sale }) {
  const { outcome, outcomeText, findings } = sale;
  const isWrong = findings.some(({ severity }) => severity === 'error');
  return (
    <>
      {findings.length > 0 && (
        <span class="found-wrong">⚠ {[...new Set(findings.map(({ rule }) => rule))].join(', ')}: </span>
      )}
      {isWrong ? (
        <span class="found-wrong">{outcomeText}</span>
      ) : (
        <StateWord state={outcome === 'refused' ? 'failure' : outcome}>{outcomeText}</StateWord>
      )}
      {isSaleUntold(sale) && <span class="untold">, your POS was not told</span>}
    </>
  );
}

/** Returns the most serious finding about a sale, and the way to correct the mistake. */
export function worstFindingText({ findings }: Sale): string | undefined {
  const worst = findings.find(({ severity }) => severity === 'error') ?? findings[0];
  return worst && `${worst.what}: ${worst.fix}`;
}

/** Returns the time of day at which a sale began. */
export function saleStartTimeText({ startedAt }: Sale): string {
  return startedAt.slice(11, 19);
}
