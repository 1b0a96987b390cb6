import type { IPPTransactionResult } from '../client/openapi-types.ts';
import { formatDecimalAmount } from '../shared/money.ts';
import { makePrintable } from '../shared/printable.ts';
import { describeRefusalReason } from '../shared/refusal-words.ts';

/** Describes a result in one line that a person at a point of sale understands. */
export function describePaymentResult(result: IPPTransactionResult): string {
  const { response, paymentResult } = result;
  const reason = response.additionalResponse?.refusalReason;
  const card = paymentResult?.paymentInstrumentData?.cardData;
  const parts = [
    response.result === 'success'
      ? `APPROVED${paid(response.additionalResponse)}`
      : `NOT APPROVED: ${response.errorCondition}`,
    response.result === 'failure' && reason ? describeRefusalReason(reason) : undefined,
    card && `${card.paymentBrand} ${card.maskedPan} (${card.entryMode?.join(', ')})`,
    result.identifier,
  ];
  return makePrintable(parts.filter(Boolean).join(' · '));
}

/**
 * Describes the authorized amount, and the tip that is part of this amount. `additionalResponse` has both in minor
 * units.
 */
function paid(additional: Record<string, string> = {}): string {
  const {
    posAuthAmountCurrency: currency,
    posAuthAmountValue: total,
    posAmountGratuityValue: tip,
  } = additional;
  if (!currency || !total) return '';
  const text = ` ${currency} ${formatDecimalAmount(Number(total), currency)}`;
  return Number(tip) > 0 ? `${text}, with a tip of ${formatDecimalAmount(Number(tip), currency)}` : text;
}

const columns = 32;

/** Returns the customer's receipt as lines of text, 32 columns wide; no lines if there is no receipt. */
export function makeCustomerReceiptLines(result: IPPTransactionResult): string[] {
  const receipt = result.paymentReceipt?.find(
    ({ documentQualifier }) => documentQualifier === 'customerReceipt',
  );
  return (receipt?.outputContent.outputText ?? []).map(({ text: { name = '', value } }) =>
    makePrintable(
      value === undefined ? name : name + value.padStart(Math.max(value.length + 1, columns - name.length)),
    ),
  );
}
