import { decimalText, toMajor } from '../../../shared/money.ts';
import type { ReversalRequest } from '../../../shared/nexo/bodies.ts';
import type { SaleToPoiData } from '../../../shared/nexo/sale-to-poi-data.ts';
import { ApiError } from '../../http/errors.ts';
import type { PaymentKind } from '../../store/rows/payments.ts';
import type { Change } from '../../store/schema.ts';
import type { PaymentOrder } from './order.ts';
import type { StoredOutcome } from './outcome.ts';
import type { Payment } from './states.ts';

/** A payment of which something is to be given back, as the store has it. Amounts in minor units. */
export interface Original {
  readonly id: string;
  readonly kind: PaymentKind;
  readonly currency: string;
  /** Undefined while it is open. */
  readonly outcome: StoredOutcome | undefined;
  /** What the cardholder was charged, tip included; 0 unless it succeeded. */
  readonly taken: number;
  /** What reversals give back of it, those that are still open included. */
  readonly givenBack: number;
}

/** Names a payment: by its identifier, or by what its answer called it. */
export type OriginalReference =
  | { readonly id: string }
  | {
      /** The reference of the acquirer's host. */
      readonly pspReference: string;
      /** The terminal's own, where it is named too. */
      readonly terminalReference?: string;
    };

type ReversalData = NonNullable<SaleToPoiData['reversal']>;

/** What is asked to be given back. */
interface Asked {
  /** Minor units; undefined for all that is left. */
  readonly amount: number | undefined;
  /** Undefined where it is not said. */
  readonly currency: string | undefined;
}

/**
 * What a reversal gives back: never more than its payment took (B490).
 *
 * @throws ApiError originalNotReversible, alreadyGivenBack, currencyMismatch, amountExceedsRest: each says why (B491)
 */
export function amountToGiveBack(original: Original, { amount, currency }: Asked): number {
  const { kind, outcome, taken, givenBack, currency: paidIn } = original;
  if (kind !== 'payment')
    throw notReversible('It is no payment: only what a payment took can be given back so');
  if (outcome === undefined)
    throw notReversible('The payment is still open: wait for its result, or abort it');
  if (taken === 0) throw notReversible('The payment failed: nothing was charged');
  if (currency !== undefined && currency !== paidIn)
    throw new ApiError('currencyMismatch', {
      message: `The payment was made in ${paidIn}, not in ${currency}`,
    });
  const left = taken - givenBack;
  if (left <= 0) throw new ApiError('alreadyGivenBack');
  if (amount !== undefined && amount > left)
    throw new ApiError('amountExceedsRest', {
      message: `The amount is above what is left of the payment: ${decimalText(left, paidIn)} ${paidIn}`,
    });
  return amount ?? left;
}

function notReversible(message: string): ApiError {
  return new ApiError('originalNotReversible', { message });
}

/** What the terminal is told of the payment whose money it gives back. */
export function originalData(
  { id, outcome }: Original,
  order: Pick<PaymentOrder, 'amount' | 'currency' | 'conditions'>,
): Pick<ReversalRequest, 'OriginalPOITransaction' | 'ReversedAmount'> & { reversal: ReversalData } {
  const { card, references } = outcome && 'payment' in outcome ? outcome : {};
  const { id: TransactionID, at: TimeStamp } = references?.terminal ?? { id, at: '' };
  const entryMode = card?.entryModes[0];
  const language = order.conditions?.CustomerLanguage;
  return {
    OriginalPOITransaction: { POITransactionID: { TransactionID, TimeStamp } },
    ReversedAmount: toMajor(order.amount, order.currency),
    reversal: {
      currency: order.currency,
      original: id,
      ...(card && {
        card: { brand: card.brand, maskedNumber: card.maskedNumber, ...(entryMode && { entryMode }) },
      }),
      ...(language !== undefined && { customerLanguage: language }),
    },
  };
}

/** Counts a reversal that is taken in: refused where others have given back so much that this is above what was taken. */
export function countGivenBack({ originalId, amount }: Payment, taken: number): Change[] {
  return originalId === null ? [] : [addition(originalId, amount, taken)];
}

/** Counts it no more, since it failed. */
export function uncountGivenBack({ originalId, amount }: Payment): Change[] {
  return originalId === null ? [] : [addition(originalId, -amount, Number.MAX_SAFE_INTEGER)];
}

function addition(original_id: string, by: number, atMost: number): Change {
  return { add: 'given_back', where: { original_id }, to: 'amount', by, atMost };
}
