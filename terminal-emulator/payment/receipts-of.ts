import type { Language } from '../../shared/emulator/screen.ts';
import { buildReceipts, type EncodedReceipt } from '../receipts/build-receipts.ts';
import { type PaymentContext, totalMinor } from './payment-context.ts';
import type { TerminalIdentity } from './tender.ts';

/** The receipts of an approved payment. */
export function receiptsOf(
  payment: PaymentContext,
  terminal: TerminalIdentity,
  merchantLanguage: Language,
  at: number,
): EncodedReceipt[] {
  const { order, used, answer, tipMinor } = payment;
  if (!used) throw new Error('a receipt needs a card');
  return buildReceipts({
    headers: order.receiptHeader,
    poiId: terminal.poiId,
    merchantId: order.merchantId,
    ptid: terminal.tid,
    application: used.application,
    maskedPan: used.card.maskedPan,
    panSequence: used.card.sequenceNumber,
    entryMode: used.entryMode,
    authCode: answer?.AuthCode ?? '',
    tenderReference: order.sale.tenderReference,
    saleReference: order.sale.saleReference,
    requestedMinor: order.requestedMinor,
    tipMinor,
    totalMinor: totalMinor(payment),
    currency: order.currency,
    at,
    customerLanguage: order.language,
    merchantLanguage,
    verification: payment.verification,
    funding: used.card.funding,
  });
}
