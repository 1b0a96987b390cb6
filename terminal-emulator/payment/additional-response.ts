import { isoTime } from '../../shared/clock.ts';
import type { EntryMode } from '../../shared/nexo/enums.ts';
import { encodePairs } from '../../shared/nexo/pairs.ts';
import { endingOf } from './ending.ts';
import { type PaymentContext, totalMinor } from './payment-context.ts';
import type { TerminalIdentity } from './tender.ts';
import { usesChip } from './used-card.ts';

const posEntryModes: Record<EntryMode, string> = {
  ICC: 'ICC',
  Contactless: 'CLESS_CHIP',
  MagStripe: 'MAGSTRIPE',
  Keyed: 'MKE',
};

/**
 * nexo's AdditionalResponse: what is known at the end of the payment, keys in alphabetical order as newer
 * terminals write them. Amounts are minor units.
 */
export function additionalResponse(payment: PaymentContext, terminal: TerminalIdentity, at: number): string {
  const pairs: Record<string, string | undefined> = {
    ...outcome(payment),
    ...transaction(payment, terminal, at),
    ...(payment.cardRead ? card(payment) : {}),
  };
  const known = Object.entries(pairs).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return encodePairs(known.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function outcome({ answer, reason }: PaymentContext): Record<string, string | undefined> {
  const ending = reason && endingOf(reason);
  return {
    acquirerResponseCode: answer?.AcquirerResponseCode,
    authCode: answer?.AuthCode,
    message: ending?.message ?? answer?.Message,
    pspReference: answer?.PspReference,
    refusalReason: ending?.refusalReason ?? answer?.RefusalReason,
  };
}

function transaction(
  payment: PaymentContext,
  terminal: TerminalIdentity,
  at: number,
): Record<string, string | undefined> {
  const { order, answer, tipMinor } = payment;
  const time = isoTime(at);
  const approved = answer?.Approved === true && payment.reason === undefined;
  return {
    iso8601TxDate: time,
    merchantReference: order.sale.saleReference,
    mid: order.merchantId,
    posAmountGratuityValue: tipMinor > 0 || approved ? String(tipMinor) : undefined,
    posAuthAmountCurrency: order.currency,
    posAuthAmountValue: String(totalMinor(payment)),
    posOriginalAmountCurrency: order.currency,
    posOriginalAmountValue: String(order.requestedMinor),
    tid: terminal.tid,
    transactionReferenceNumber: order.sale.tenderReference,
    transactionType: 'GOODS_SERVICES',
    txdate: `${time.slice(8, 10)}-${time.slice(5, 7)}-${time.slice(0, 4)}`,
    txtime: time.slice(11, 19),
  };
}

function card({ used }: PaymentContext): Record<string, string | undefined> {
  if (!used) return {};
  const { card: plastic, application } = used;
  const chip = usesChip(used);
  return {
    AID: chip ? application.aid : undefined,
    applicationLabel: chip ? application.label : undefined,
    cardScheme: application.brand,
    cardSummary: plastic.maskedPan.slice(-4),
    cardType: application.brand,
    fundingSource: (application.debit ? 'debit' : plastic.funding).toUpperCase(),
    paymentMethod: application.brand,
    posEntryMode: posEntryModes[used.entryMode],
  };
}
