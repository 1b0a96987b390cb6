import { toMajor } from '../../../shared/money.ts';
import type { ReversalRequest } from '../../../shared/nexo/bodies.ts';
import type { SaleToPoiData } from '../../../shared/nexo/sale-to-poi-data.ts';
import type { PaymentKind } from '../../store/rows/payments.ts';
import type { RowChange } from '../../store/schema.ts';
import type { PaymentOutcome, StoredOutcome } from './outcome.ts';
import type { Payment } from './states.ts';

/** A stored payment that is to be reversed. Amounts are in minor units. */
export interface OriginalPayment {
  readonly id: string;
  readonly kind: PaymentKind;
  readonly currency: string;
  /** The payment's outcome; undefined while the payment is open. */
  readonly outcome: StoredOutcome | undefined;
  /** The amount that the cardholder was charged, including the tip; 0 unless the payment succeeded. */
  readonly taken: number;
  /** The sum that reversals of the payment give back. Reversals that are still open are included. */
  readonly givenBack: number;
}

/** Names a payment by its identifier, or by references from its answer. */
export type OriginalReference =
  | { readonly id: string }
  | {
      /** The payment's reference at the acquirer's host. */
      readonly pspReference: string;
      /** The terminal's reference for the payment; absent if the request does not name it. */
      readonly terminalReference?: string;
    };

type ReversalData = NonNullable<SaleToPoiData['reversal']>;

/** Makes the data that tell the terminal which payment to give back. */
export function makeOriginalTransactionData(
  { id, outcome }: OriginalPayment,
  order: { readonly amount: number; readonly currency: string; readonly language?: string | undefined },
): Pick<ReversalRequest, 'OriginalPOITransaction' | 'ReversedAmount'> & { reversal: ReversalData } {
  const { card, references } = outcome && 'payment' in outcome ? outcome : {};
  const { id: TransactionID, at: TimeStamp } = references?.terminal ?? { id, at: '' };
  const entryMode = card?.entryModes[0];
  const { amount, currency, language } = order;
  return {
    OriginalPOITransaction: { POITransactionID: { TransactionID, TimeStamp } },
    ReversedAmount: toMajor(amount, currency),
    reversal: {
      currency,
      original: id,
      ...(card && {
        card: { brand: card.brand, maskedNumber: card.maskedNumber, ...(entryMode && { entryMode }) },
      }),
      ...(language !== undefined && { customerLanguage: language }),
    },
  };
}

/**
 * Gives the reference in the answer of a failed payment. Returns undefined if the payment succeeded or if its answer
 * has no reference.
 */
export function findFailedPaymentReference({
  result,
  unsent,
  references,
}: PaymentOutcome): string | undefined {
  const id = references?.terminal.id;
  return result === 'failure' && !unsent && id !== undefined && isPossibleReference(id) ? id : undefined;
}

/**
 * Returns whether a text can be a terminal's reference for a payment. Such a reference has 1 to 255 printable ASCII
 * characters, because PostgreSQL cannot index longer texts or other characters.
 */
export function isPossibleReference(text: string): boolean {
  return /^[ -~]{1,255}$/.test(text);
}

/**
 * Adds an accepted reversal to the sum that reversals of the same payment give back. The database refuses a sum that is
 * more than the payment took.
 */
export function makeGivenBackIncrease({ originalId, amount }: Payment, taken: number): RowChange[] {
  return originalId === null ? [] : [addition(originalId, amount, taken)];
}

/** Subtracts a failed reversal from the sum that reversals of the same payment give back. */
export function makeGivenBackDecrease({ originalId, amount }: Payment): RowChange[] {
  return originalId === null ? [] : [addition(originalId, -amount, Number.MAX_SAFE_INTEGER)];
}

function addition(original_id: string, by: number, atMost: number): RowChange {
  return { add: 'given_back', where: { original_id }, to: 'amount', by, atMost };
}
