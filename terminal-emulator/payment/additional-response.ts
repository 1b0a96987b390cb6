import { isoTime } from '../../shared/clock.ts';
import type { EntryMode } from '../../shared/nexo/enums.ts';
import { encodePairs } from '../../shared/nexo/pairs.ts';
import { endingForReason } from './ending.ts';
import { type PaymentContext, totalMinorOf } from './payment-context.ts';
import type { OriginalCard } from './payment-order.ts';
import type { TerminalIdentity } from './terminal-identity.ts';
import { usesChip } from './used-card.ts';

const posEntryModes: Record<EntryMode, string> = {
  ICC: 'ICC',
  Contactless: 'CLESS_CHIP',
  MagStripe: 'MAGSTRIPE',
  Keyed: 'MKE',
};

/**
 * Gives nexo's AdditionalResponse, which contains the facts that are known at the end of the payment. The keys of
 * these facts are in alphabetical order, as newer terminals write them. Amounts are in minor units.
 */
export function makeAdditionalResponse(
  payment: PaymentContext,
  terminal: TerminalIdentity,
  at: number,
): string {
  const { order, answer, reason, tipMinor, used } = payment;
  const { givesBack } = order.sale;
  const time = isoTime(at);
  const ending = reason && endingForReason(reason);
  const approved = answer?.Approved === true && reason === undefined;
  const read = payment.cardRead ? used : undefined;
  const chip = read && usesChip(read) ? read.application : undefined;
  const known = knownCard(payment);
  const brand = known?.brand;
  const pairs: Record<string, string | undefined> = {
    AID: chip?.aid,
    acquirerResponseCode: answer?.AcquirerResponseCode,
    applicationLabel: chip?.label,
    authCode: answer?.AuthCode,
    cardScheme: brand,
    cardSummary: known?.maskedNumber.slice(-4),
    cardType: brand,
    fundingSource: read && (read.application.debit ? 'debit' : read.card.funding).toUpperCase(),
    iso8601TxDate: time,
    merchantReference: order.sale.saleReference,
    message: ending?.message ?? answer?.Message,
    mid: order.merchantId,
    paymentMethod: brand,
    posAmountGratuityValue: tipMinor > 0 || (approved && !givesBack) ? String(tipMinor) : undefined,
    posAuthAmountCurrency: order.currency,
    posAuthAmountValue: String(totalMinorOf(payment)),
    posEntryMode: known?.entryMode && posEntryModes[known.entryMode],
    posOriginalAmountCurrency: order.currency,
    posOriginalAmountValue: String(order.requestedMinor),
    pspReference: answer?.PspReference,
    refusalReason: ending?.refusalReason ?? answer?.RefusalReason,
    tid: terminal.tid,
    transactionReferenceNumber: order.sale.tenderReference,
    transactionType: givesBack ? 'REFUND' : 'GOODS_SERVICES',
    txdate: `${time.slice(8, 10)}-${time.slice(5, 7)}-${time.slice(0, 4)}`,
    txtime: time.slice(11, 19),
  };
  return encodePairs(Object.entries(pairs).filter((pair): pair is [string, string] => pair[1] !== undefined));
}

/** Gives the card that was read or, for a reversal, the card of the payment whose money is given back. */
function knownCard({ cardRead, used, order }: PaymentContext): OriginalCard | undefined {
  if (!used || !cardRead) return order.originalCard;
  return {
    brand: used.application.brand,
    maskedNumber: used.card.maskedPan,
    entryMode: used.entryMode,
  };
}
