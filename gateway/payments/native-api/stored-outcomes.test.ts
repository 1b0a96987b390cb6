import { expect, test } from 'vitest';
import { readStoredOutcome } from '../core/outcome.ts';
import { transactionResultJson } from './result-mapping.ts';

/**
 * Stored outcomes and answers of version 627d27e. Each item has an outcome, and the answer that version 627d27e made
 * from it.
 */
const rows = [
  {
    outcome: String.raw`{"payment":"019b78ce-9280-7000-8000-5f3759df0001","result":"success","notes":[["acquirerResponseCode","APPROVED"],["cardScheme","mc"],["cardSummary","9999"],["fundingSource","CREDIT"],["posAuthAmountCurrency","EUR"],["posAuthAmountValue","2805"],["posEntryMode","ICC"],["pspReference","X7KQ2MZ9RT41LBWD"],["tid","00000001"]],"saleReference":"order-1001","amounts":{"currency":"EUR","authorized":28.05,"tip":2.55},"card":{"brand":"mc","maskedNumber":"541333 **** 9999","entryModes":["ICC"],"country":"528"},"online":true,"references":{"terminal":{"id":"T.1","at":"2026-01-01T09:00:00.000Z"}},"receipts":[{"for":"customer","signature":false,"lines":[{"text":{"name":"TOTAL","value":"\u20ac 28.05","key":"totalAmount"},"style":"bold","ends":true},{"text":{"name":"APPROVED","key":"approved"},"style":"bold","ends":true}]}]}`,
    answered: String.raw`{"identifier":"019b78ce-9280-7000-8000-5f3759df0001","response":{"result":"success","additionalResponse":{"acquirerResponseCode":"APPROVED","cardScheme":"mc","cardSummary":"9999","fundingSource":"CREDIT","posAuthAmountCurrency":"EUR","posAuthAmountValue":"2805","posEntryMode":"ICC","pspReference":"X7KQ2MZ9RT41LBWD","tid":"00000001"}},"saleData":{"saleReferenceId":"order-1001"},"paymentResult":{"paymentInstrumentData":{"paymentInstrumentType":"card","cardData":{"paymentBrand":"mc","maskedPan":"541333 **** 9999","entryMode":["icc"],"cardCountryCode":"528"}},"amountsResp":{"tipAmount":2.55}},"paymentReceipt":[{"documentQualifier":"customerReceipt","requiredSignatureFlag":false,"outputContent":{"outputFormat":"text","outputText":[{"text":{"name":"TOTAL","value":"\u20ac 28.05","key":"totalAmount"},"characterStyle":"bold","endOfLineFlag":true},{"text":{"name":"APPROVED","key":"approved"},"characterStyle":"bold","endOfLineFlag":true}]}}]}`,
  },
  {
    outcome: String.raw`{"payment":"0198f2c7-6a3e-7b1c-9d2e-4f5a6b7c8d9e","result":"failure","reason":"Busy","notes":[["message","the terminal is busy"]],"saleReference":"Caf\u00e9 1"}`,
    answered: String.raw`{"identifier":"0198f2c7-6a3e-7b1c-9d2e-4f5a6b7c8d9e","response":{"result":"failure","errorCondition":"busy","additionalResponse":{"message":"the terminal is busy"}},"saleData":{"saleReferenceId":"Caf\u00e9 1"}}`,
  },
];

test.each(rows)(
  'an outcome that an older release stored is answered with exactly the same bytes',
  ({ outcome, answered }) => {
    const stored = readStoredOutcome({ answer: '', outcome });
    expect(stored && transactionResultJson(stored)).toBe(answered);
  },
);
