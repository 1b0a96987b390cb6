import { expect, test } from 'vitest';
import { printedReceiptSchema } from '../../shared/emulator/frames.ts';
import { languages } from '../../shared/emulator/screen.ts';
import type { PaymentReceipt } from '../../shared/nexo/bodies.ts';
import { locales } from '../screens/locales.ts';
import { countColumns } from '../screens/text-fit.ts';
import { buildReceipts } from './build-receipts.ts';
import { buildReversalReceipts } from './build-reversal-receipts.ts';
import { layOutReceipt, paperColumns } from './lay-out-receipt.ts';
import type { EncodedReceipt } from './receipt-copies.ts';
import type { ReceiptFacts, ReversalFacts } from './receipt-facts.ts';
import { sampleFacts } from './sample-facts.fixture.ts';

const transactionId = '0197a1b2-0000-7000-8000-000000000001';

function printed(encoded: EncodedReceipt[]) {
  const receipts = encoded.map(({ text }): PaymentReceipt => JSON.parse(text));
  const [cashier, customer] = receipts as [PaymentReceipt, PaymentReceipt];
  return { cashier: layOutReceipt(cashier, transactionId), customer: layOutReceipt(customer, transactionId) };
}

function setup(changes: Partial<ReceiptFacts> = {}) {
  return printed(buildReceipts(sampleFacts(changes)));
}

/** Gives both copies as the printer prints them, with bold lines marked. */
function paper(changes: Partial<ReceiptFacts>): string {
  return onPaper(setup(changes));
}

function onPaper({ cashier, customer }: ReturnType<typeof printed>): string {
  return [cashier, customer]
    .map(({ copy, lines }) =>
      [copy, ...lines.map(({ text, bold }) => `${bold ? '*' : '|'}${text}`)].join('\n'),
    )
    .join('\n\n')
    .concat('\n');
}

const tip = { tipMinor: 198, totalMinor: 1297 };
const cases: Record<string, Partial<ReceiptFacts>> = {
  'eur-en-chip-pin-tip': tip,
  'eur-de-signature': {
    merchantLanguage: 'de',
    customerLanguage: 'de',
    verification: 'PaperSignature',
    entryMode: 'MagStripe',
  },
  'eur-fr-contactless-tip': {
    ...tip,
    merchantLanguage: 'fr',
    customerLanguage: 'fr',
    entryMode: 'Contactless',
  },
  'eur-it-signature-tip': {
    ...tip,
    merchantLanguage: 'it',
    customerLanguage: 'it',
    verification: 'PaperSignature',
  },
  'eur-nl-es-long-reference': {
    merchantLanguage: 'nl',
    customerLanguage: 'es',
    saleReference: 'b6f0c0de-5a1e-4c1b-9f3e-0d9f6c2a7e11',
    headers: ['Konditorei und Kaffeehaus Zum Goldenen Löwen'],
  },
  'usd-en-keyed': { currency: 'USD', entryMode: 'Keyed', verification: undefined, saleReference: undefined },
  'jpy-en-wide-header': {
    currency: 'JPY',
    headers: ['東京カフェ', '渋谷区神南一丁目十九番十一号パークウェイスクエア'],
  },
  'kwd-fr-tip': {
    currency: 'KWD',
    requestedMinor: 10_990,
    tipMinor: 1_650,
    totalMinor: 12_640,
    customerLanguage: 'fr',
  },
};

/** The facts of a reversal. Receipts in every language are made from them. */
const reversal: ReversalFacts = {
  ...sampleFacts(),
  card: { brand: 'visa', maskedNumber: '411111 **** 1111', entryMode: 'Contactless' },
};
const voids = languages.map(
  (language) =>
    [
      `reversal-${language}`,
      { ...reversal, merchantLanguage: language, customerLanguage: language },
    ] as const,
);

test.each(voids)('the receipts %s say what was requested, and fit the paper', async (name, facts) => {
  const { cashier, customer } = printed(buildReversalReceipts(facts));
  for (const { text } of [...cashier.lines, ...customer.lines])
    expect(countColumns(text), text).toBeLessThanOrEqual(paperColumns);
  await expect(onPaper({ cashier, customer })).toMatchFileSnapshot(`./golden/${name}.golden.txt`);
});

test.each(languages)('a refund in %s has its own words for approved', (language) => {
  const { cashier } = setup({ refund: true, merchantLanguage: language });
  const { refunded, approved } = locales[language].receipt;
  const texts = cashier.lines.map(({ text }) => text.trim());
  expect(texts).toContain(refunded);
  expect(texts).not.toContain(approved);
  expect(texts.filter((text) => text.endsWith(' REFUND'))).toHaveLength(1);
});

test.each(Object.keys(cases))('the printed receipts are as expected: %s', async (name) => {
  const text = paper(cases[name]!);
  await expect(text).toMatchFileSnapshot(`./golden/${name}.golden.txt`);
});

test.each(Object.keys(cases))('no line of %s is wider than the paper', (name) => {
  const { cashier, customer } = setup(cases[name]);
  for (const { text } of [...cashier.lines, ...customer.lines]) {
    expect(countColumns(text), text).toBeLessThanOrEqual(paperColumns);
  }
});

test('a printed receipt names its copy and its payment', () => {
  const { cashier, customer } = setup();
  expect(printedReceiptSchema.parse(cashier)).toEqual(cashier);
  expect(cashier).toMatchObject({ copy: 'cashierReceipt', transactionId });
  expect(customer).toMatchObject({ copy: 'customerReceipt', transactionId });
});

test('the name is printed at the left edge and the value at the right edge', () => {
  const { customer } = setup();
  expect(customer.lines).toContainEqual({ text: 'TOTAL                    € 10.99', bold: true });
  expect(customer.lines).toContainEqual({ text: 'Auth. code                123456', bold: false });
  expect(customer.lines).toContainEqual({ text: '', bold: false });
});

test('a value that is too long for its line is printed below its name, at the right edge', () => {
  const { customer } = setup({ saleReference: '0123456789012345678901234567890123456789' });
  const at = customer.lines.findIndex(({ text }) => text === 'Reference');
  expect(customer.lines.slice(at + 1, at + 3).map(({ text }) => text)).toEqual([
    '01234567890123456789012345678901',
    '                        23456789',
  ]);
});

test('at least one space stays between a name and its value', () => {
  const textsWith = (saleReference: string) =>
    setup({ saleReference }).customer.lines.map(({ text }) => text);
  const fits = 'x'.repeat(32 - 'Reference '.length);
  expect(textsWith(fits)).toContain(`Reference ${fits}`);
  expect(textsWith(`${fits}x`)).toContain('Reference');
});

test('a missing header prints nothing', () => {
  expect(setup({ headers: [] }).cashier.lines[0]?.text.trim()).toBe('MERCHANT COPY');
});
