import { toMajor } from '../../../shared/money.ts';
import type { ReversalRequest } from '../../../shared/nexo/bodies.ts';
import type { SaleToPoiData } from '../../../shared/nexo/sale-to-poi-data.ts';
import type { PaymentKind } from '../../store/rows/payments.ts';
import type { Change } from '../../store/schema.ts';
import type { PaymentOutcome, StoredOutcome } from './outcome.ts';
import type { Payment } from './states.ts';

/** A stored payment whose money is to be given back. Amounts are in minor units. */
export interface Original {
  readonly id: string;
  readonly kind: PaymentKind;
  readonly currency: string;
  /** The outcome; undefined while the payment is open. */
  readonly outcome: StoredOutcome | undefined;
  /** The amount that the cardholder was charged, tip included; 0 unless the payment succeeded. */
  readonly taken: number;
  /** The sum that reversals give back of the payment, including reversals that are still open. */
  readonly givenBack: number;
}

/** Names a payment: by its identifier, or by the references in its answer. */
export type OriginalReference =
  | { readonly id: string }
  | {
      /** The reference of the acquirer's host. */
      readonly pspReference: string;
      /** The terminal's name for the payment, if the request has more than the host's reference. */
      readonly terminalReference?: string;
    };

type ReversalData = NonNullable<SaleToPoiData['reversal']>;

/** Makes the data about a payment for the terminal that gives its money back. */
export function originalData(
  { id, outcome }: Original,
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
 * The name that a failed payment has in its answer; undefined if the payment succeeded, or if its answer contained no
 * name.
 */
export function failedReferenceOf({ result, unsent, references }: PaymentOutcome): string | undefined {
  const name = references?.terminal.id;
  return result === 'failure' && !unsent && name !== undefined && isName(name) ? name : undefined;
}

/**
 * Whether a text can be a terminal's name for a payment. Longer texts and other characters do not fit an index of
 * PostgreSQL.
 */
export function isName(text: string): boolean {
  return /^[ -~]{1,255}$/.test(text);
}

/**
 * Adds an accepted reversal to the sum given back. The database refuses it if the sum of all reversals would be more
 * than was taken.
 */
export function countGivenBack({ originalId, amount }: Payment, taken: number): Change[] {
  return originalId === null ? [] : [addition(originalId, amount, taken)];
}

/** Subtracts a failed reversal from the sum given back. */
export function uncountGivenBack({ originalId, amount }: Payment): Change[] {
  return originalId === null ? [] : [addition(originalId, -amount, Number.MAX_SAFE_INTEGER)];
}

function addition(original_id: string, by: number, atMost: number): Change {
  return { add: 'given_back', where: { original_id }, to: 'amount', by, atMost };
}
