import type { Language } from '../../shared/emulator/screen.ts';
import { buildReceipts } from '../receipts/build-receipts.ts';
import { buildReversalReceipts } from '../receipts/build-reversal-receipts.ts';
import type { EncodedReceipt } from '../receipts/receipt-copies.ts';
import type { CommonReceiptFacts } from '../receipts/receipt-facts.ts';
import { type PaymentContext, totalMinorOf } from './payment-context.ts';
import type { TerminalIdentity } from './terminal-identity.ts';

/** Makes the receipts of an approved payment, refund or reversal. */
export function makePaymentReceipts(
  payment: PaymentContext,
  terminal: TerminalIdentity,
  merchantLanguage: Language,
  at: number,
): EncodedReceipt[] {
  const { order } = payment;
  const frame: CommonReceiptFacts = {
    headers: order.receiptHeader,
    poiId: terminal.poiId,
    merchantId: order.merchantId,
    ptid: terminal.tid,
    tenderReference: order.sale.tenderReference,
    saleReference: order.sale.saleReference,
    totalMinor: totalMinorOf(payment),
    currency: order.currency,
    at,
    customerLanguage: order.language,
    merchantLanguage,
  };
  if (order.sale.givesBack === 'reversal')
    return buildReversalReceipts({ ...frame, card: order.originalCard });
  return cardReceipts(payment, frame);
}

function cardReceipts(payment: PaymentContext, frame: CommonReceiptFacts): EncodedReceipt[] {
  const { order, used, answer, tipMinor } = payment;
  if (!used) throw new Error('a receipt needs a card');
  return buildReceipts({
    ...frame,
    refund: order.sale.givesBack === 'refund',
    application: used.application,
    maskedPan: used.card.maskedPan,
    panSequence: used.card.sequenceNumber,
    entryMode: used.entryMode,
    authCode: answer?.AuthCode ?? '',
    requestedMinor: order.requestedMinor,
    tipMinor,
    verification: payment.verification,
    funding: used.card.funding,
  });
}
