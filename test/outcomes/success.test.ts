import { expect, test } from 'vitest';
import { defaultCards } from '../../terminal-emulator/cards/default-cards.ts';
import { type StackHarness, stackHarness, type TransactionResult } from '../stack/stack-harness.ts';
import { codesIn, tableUnder } from './markdown-table.ts';
import { outcomesPageText, PageReader } from './page-reader.ts';

/**
 * Pays with every way to present a card. All answers about an approved payment must be equal, and must agree with the
 * acquirer's ledger.
 */

interface Approval {
  name: string;
  steps: string[];
  posEntryMode: string;
  entryMode: string;
  brand: string;
  lastFour: string;
  funding: string;
  signature?: true;
}

const approvals: Approval[] = [
  {
    name: 'chip and offline PIN',
    steps: ['insert visa-credit', 'press 1 2 3 4 enter', 'remove'],
    posEntryMode: 'ICC',
    entryMode: 'icc',
    brand: 'visa',
    lastFour: '1111',
    funding: 'CREDIT',
  },
  {
    name: 'chip and online PIN',
    steps: ['insert mc-debit', 'press 1 2 3 4 enter', 'remove'],
    posEntryMode: 'ICC',
    entryMode: 'icc',
    brand: 'mc',
    lastFour: '8210',
    funding: 'DEBIT',
  },
  {
    name: 'a wrong PIN, then the right one',
    steps: ['insert visa-credit', 'press 9 9 9 9 enter', 'press 1 2 3 4 enter', 'remove'],
    posEntryMode: 'ICC',
    entryMode: 'icc',
    brand: 'visa',
    lastFour: '1111',
    funding: 'CREDIT',
  },
  {
    name: 'contactless',
    steps: ['tap mc-prepaid'],
    posEntryMode: 'CLESS_CHIP',
    entryMode: 'contactless',
    brand: 'mc',
    lastFour: '5100',
    funding: 'PREPAID',
  },
  {
    name: 'contactless above its limit, with PIN',
    steps: ['tap tap-then-pin', 'press 1 2 3 4 enter'],
    posEntryMode: 'CLESS_CHIP',
    entryMode: 'contactless',
    brand: 'visa',
    lastFour: '0075',
    funding: 'DEBIT',
  },
  {
    name: 'magnetic stripe and signature',
    steps: ['swipe stripe-only'],
    posEntryMode: 'MAGSTRIPE',
    entryMode: 'magStripe',
    brand: 'visa',
    lastFour: '1881',
    funding: 'CREDIT',
    signature: true,
  },
  {
    name: 'chip that cannot be read, then the stripe',
    steps: [
      ...['insert chip-dead', 'remove', 'insert chip-dead', 'remove', 'insert chip-dead', 'remove'],
      'swipe chip-dead',
    ],
    posEntryMode: 'MAGSTRIPE',
    entryMode: 'magStripe',
    brand: 'visa',
    lastFour: '0008',
    funding: 'CREDIT',
    signature: true,
  },
  {
    name: 'typed in',
    steps: ['key in 4242424242424242 1249'],
    posEntryMode: 'MKE',
    entryMode: 'keyed',
    brand: 'visa',
    lastFour: '4242',
    funding: 'CREDIT',
  },
  {
    name: 'the second of two applications',
    steps: ['insert credit-debit', 'press 2', 'press 1 2 3 4 enter', 'remove'],
    posEntryMode: 'ICC',
    entryMode: 'icc',
    brand: 'maestro',
    lastFour: '0000',
    funding: 'DEBIT',
  },
];

async function approve(harness: StackHarness, steps: string[], tip: boolean): Promise<TransactionResult> {
  const reader = new PageReader(harness);
  const pay = tip
    ? 'pay 20 with "gratuity":{"enabled":true},"saleData":{"saleReferenceId":"order-7"}'
    : 'pay 20';
  await reader.follow([pay, ...(tip ? ['press 2'] : []), ...steps]);
  return reader.result();
}

for (const approval of approvals) {
  test.each([false, true])(`${approval.name}, with tip: %s`, async (tip) => {
    const harness = await stackHarness();
    const result = await approve(harness, approval.steps, tip);
    const total = tip ? 2360 : 2000;
    const { additionalResponse } = result.response;
    const cardData = result.paymentResult?.paymentInstrumentData.cardData;
    expect(result.response.result).toBe('success');
    expect(result.response).not.toHaveProperty('errorCondition');
    expect(additionalResponse).toMatchObject({
      acquirerResponseCode: 'APPROVED',
      cardScheme: approval.brand,
      cardSummary: approval.lastFour,
      fundingSource: approval.funding,
      posAuthAmountCurrency: 'EUR',
      posAuthAmountValue: String(total),
      posEntryMode: approval.posEntryMode,
      tid: harness.poiId.slice(-8),
    });
    for (const key of tableUnder(outcomesPageText, 'Success').map(({ Key }) => codesIn(Key ?? '')[0] ?? ''))
      expect(additionalResponse[key], key).toMatch(/^.+$/);
    expect(cardData).toMatchObject({ paymentBrand: approval.brand, entryMode: [approval.entryMode] });
    expect(cardData?.maskedPan).toMatch(new RegExp(`^\\d{6}\\D+${approval.lastFour}$`));
    expect(result.paymentResult?.amountsResp?.tipAmount).toBe(tip ? 3.6 : undefined);
    expect(result.saleData).toEqual(tip ? { saleReferenceId: 'order-7' } : undefined);

    const [line, ...more] = (
      await harness.control<{ kind: string; amount: number; pspReference: string }[]>(
        'GET',
        `/ledger?payment=${result.identifier}`,
      )
    ).body.filter(({ kind }) => kind !== 'declined');
    expect(more).toEqual([]);
    expect(line).toMatchObject({
      kind: 'authorized',
      amount: total / 100,
      pspReference: additionalResponse.pspReference,
    });
  });

  test(`${approval.name}: both copies of the receipt come with the result and from the printer`, async () => {
    const harness = await stackHarness();
    const { paymentReceipt = [], response } = await approve(harness, approval.steps, true);
    expect(paymentReceipt.map(({ documentQualifier }) => documentQualifier)).toEqual([
      'cashierReceipt',
      'customerReceipt',
    ]);
    expect(paymentReceipt[0]?.requiredSignatureFlag).toBe(approval.signature === true);
    expect(paymentReceipt[1]?.requiredSignatureFlag).toBe(false);
    for (const { outputContent } of paymentReceipt) {
      const text = JSON.stringify(outputContent.outputText);
      expect(text).toContain(approval.lastFour);
      expect(text).toContain('23.60');
      expect(text).toContain(response.additionalResponse.authCode);
      for (const { number } of defaultCards) expect(text).not.toContain(number);
    }
    const printed = await harness.control<{ copy: string }[]>('GET', `/terminals/${harness.poiId}/receipts`);
    expect(printed.body.map(({ copy }) => copy)).toEqual(['cashierReceipt', 'customerReceipt']);
  });
}
