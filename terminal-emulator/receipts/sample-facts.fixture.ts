import type { ReceiptFacts } from './receipt-facts.ts';

/** The facts of an approved payment by chip. Tests change some of them. */
export function sampleFacts(changes: Partial<ReceiptFacts> = {}): ReceiptFacts {
  return {
    headers: ['Café Zentral', 'Herrengasse 14, 1010 Wien'],
    poiId: 'V400m-347312398',
    merchantId: '1000042',
    ptid: '47312398',
    application: { label: 'VISA CREDIT', aid: 'A0000000031010', brand: 'visa' },
    maskedPan: '411111 **** 1111',
    entryMode: 'ICC',
    authCode: '123456',
    tenderReference: 'v4W5001767258000001',
    saleReference: 'order-42',
    requestedMinor: 1099,
    totalMinor: 1099,
    currency: 'EUR',
    at: Date.UTC(2026, 0, 1, 9, 0, 0),
    customerLanguage: 'en',
    merchantLanguage: 'en',
    verification: 'OfflinePIN',
    funding: 'credit',
    ...changes,
  };
}
