import type { SaleResult } from './sale.ts';

/** One line a person at a till understands. */
export function describeOutcome(result: SaleResult): string {
  const { response, paymentResult } = result;
  const card = paymentResult?.paymentInstrumentData?.cardData;
  const parts = [
    response.result === 'success' ? 'APPROVED' : `NOT APPROVED: ${response.errorCondition}`,
    response.result === 'failure' ? response.additionalResponse?.refusalReason : undefined,
    card && `${card.paymentBrand} ${card.maskedPan} (${card.entryMode?.join(', ')})`,
    paymentResult?.amountsResp?.tipAmount && `tip ${paymentResult.amountsResp.tipAmount}`,
    result.identifier,
  ];
  return parts.filter(Boolean).join(' · ');
}

const columns = 32;

/** The customer's receipt as lines of text, 32 columns wide; none where there is no receipt. */
export function receiptLines(result: SaleResult): string[] {
  const receipt = result.paymentReceipt?.find(
    ({ documentQualifier }) => documentQualifier === 'customerReceipt',
  );
  return (receipt?.outputContent.outputText ?? []).map(({ text: { name = '', value } }) =>
    value === undefined ? name : name + value.padStart(Math.max(value.length + 1, columns - name.length)),
  );
}
