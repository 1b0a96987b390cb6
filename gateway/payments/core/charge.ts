import { type AmountFault, formatDecimalAmount, majorToMinorOrFault } from '../../../shared/money.ts';
import type { PaymentRequest, PaymentResponse, ReversalResponse } from '../../../shared/nexo/bodies.ts';
import type { SaleToPoiData } from '../../../shared/nexo/sale-to-poi-data.ts';
import { type AttemptId, cardApplicationName } from '../../acquirer/attempts.ts';
import type { LedgerRow } from '../../store/rows/acquirer.ts';
import type { Payment } from './states.ts';

/** A terminal's report about money that it charged or gave back: the card, how the card was read, and the amount. */
export interface ReportedMoneyMovement {
  attemptId: AttemptId;
  card: string | undefined;
  application: string | undefined;
  /** The total in minor units with the tip; undefined if the terminal's amounts contradict each other. */
  total: number | undefined;
}

export function readReportedCharge(
  payment: Payment,
  response: PaymentResponse,
  aid: string | undefined,
): ReportedMoneyMovement {
  const card = response.PaymentResult?.PaymentInstrumentData.CardData;
  return {
    attemptId: response.POIData.AttemptID ?? null,
    card: card?.MaskedPan,
    application: card && cardApplicationName(card.PaymentBrand, aid),
    total: totalOf(payment, response),
  };
}

export function readReportedReversal(
  { currency }: Payment,
  { POIData, ReversedAmount }: ReversalResponse,
): ReportedMoneyMovement {
  const amount = ReversedAmount === undefined ? undefined : majorToMinorOrFault(ReversedAmount, currency);
  const total = typeof amount === 'number' ? amount : undefined;
  return { attemptId: POIData.AttemptID ?? null, card: undefined, application: undefined, total };
}

/**
 * Says in words how a charge differs from the authorization that is in force. Returns undefined if they agree (B134).
 * An authorization that version 0.1.0 stored has no card to compare.
 */
export function describeChargeDifference(
  charge: ReportedMoneyMovement,
  authorization: LedgerRow | undefined,
): string | undefined {
  if (!authorization) return 'the acquirer has no authorization';
  const { kind, attempt_id, card, application, amount, currency } = authorization;
  const did = kind === 'refunded' ? 'refunded' : 'authorized';
  if (charge.attemptId !== attempt_id) return `the acquirer ${did} another attempt`;
  if (card !== null && charge.card !== card) return `the acquirer ${did} the card ${card}`;
  if (application !== null && charge.application !== application)
    return `the acquirer ${did} the application ${application}`;
  if (charge.total !== amount) return `the acquirer ${did} ${formatDecimalAmount(amount, currency)}`;
  return undefined;
}

/**
 * Says in words why this tip is not allowed in the payment (B134). Returns undefined if the tip is allowed or if there
 * is no tip.
 */
export function describeTipFault(
  { amount, currency, message }: Payment,
  { total }: ReportedMoneyMovement,
): string | undefined {
  if (total === undefined || total === amount) return undefined;
  const { SaleData } = JSON.parse(message) as PaymentRequest;
  const { gratuity } = JSON.parse(SaleData.SaleToPOIData ?? '{}') as Partial<SaleToPoiData>;
  if (!gratuity) return 'the point of sale asked for no tip';
  const { maximumTotal } = gratuity;
  if (total <= maximumTotal) return undefined;
  return `at most ${formatDecimalAmount(maximumTotal, currency)} can be charged with a tip`;
}

/** Describes a charge in words, for a message. */
export function describeCharge({ card, total }: ReportedMoneyMovement, currency: string): string {
  const amount = total === undefined ? 'another amount' : formatDecimalAmount(total, currency);
  return card === undefined ? amount : `${amount} on ${card}`;
}

/**
 * Gives the requested amount plus the tip. Returns undefined if the terminal's amounts contradict each other, or if
 * their currency is not the payment's currency.
 */
function totalOf({ amount, currency }: Payment, response: PaymentResponse): number | undefined {
  const { Currency = currency, AuthorizedAmount, TipAmount = 0 } = response.PaymentResult?.AmountsResp ?? {};
  if (Currency !== currency) return undefined;
  const total: number | AmountFault | undefined =
    AuthorizedAmount === undefined ? amount : majorToMinorOrFault(AuthorizedAmount, currency);
  const tip = TipAmount === 0 ? 0 : majorToMinorOrFault(TipAmount, currency);
  return typeof total === 'number' && typeof tip === 'number' && total === amount + tip ? total : undefined;
}
