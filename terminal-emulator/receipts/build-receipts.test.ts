import { expect, test } from 'vitest';
import { languages } from '../../shared/emulator/screen.ts';
import { type PaymentReceipt, paymentResponseSchema } from '../../shared/nexo/bodies.ts';
import { entryModes } from '../../shared/nexo/enums.ts';
import { decodePairs } from '../../shared/nexo/pairs.ts';
import { locales } from '../screens/locales.ts';
import { countColumns } from '../screens/text-fit.ts';
import { buildReceipts } from './build-receipts.ts';
import { buildReversalReceipts } from './build-reversal-receipts.ts';
import { sampleFacts } from './sample-facts.fixture.ts';

/** The lines of a real terminal's receipts, in order. Each test compares them with ours. */
const commonKeys = `filler txdate txtime filler pan panSeq preferredName cardType paymentMethod
  paymentMethodVariant posEntryMode filler aid mid tid ptid filler authCode txRef mref filler txtype
  totalAmount filler approved`.split(/\s+/);
const cashierKeys = ['header1', 'header2', 'merchantTitle', ...commonKeys];
const customerKeys = ['header1', 'header2', 'cardholderHeader', ...commonKeys, 'filler', 'retain', 'thanks'];

function setup(changes = {}) {
  const receipts = buildReceipts(sampleFacts(changes)).map(({ text }): PaymentReceipt => JSON.parse(text));
  const [cashier, customer] = receipts as [PaymentReceipt, PaymentReceipt];
  return { cashier, customer };
}

function linesOf(receipt: PaymentReceipt): Record<string, string | undefined>[] {
  return receipt.OutputContent.OutputText.map(({ Text }) => Object.fromEntries(decodePairs(Text)));
}

const keysOf = (receipt: PaymentReceipt) => linesOf(receipt).map(({ key }) => key);
const lineOf = (receipt: PaymentReceipt, key: string) => linesOf(receipt).find((line) => line.key === key);

test('lines and their order are those of real terminals', () => {
  const { cashier, customer } = setup();
  expect(cashier.DocumentQualifier).toBe('CashierReceipt');
  expect(customer.DocumentQualifier).toBe('CustomerReceipt');
  expect(keysOf(cashier)).toEqual(cashierKeys);
  expect(keysOf(customer)).toEqual(customerKeys);
});

test('receipts are valid nexo', () => {
  const { cashier, customer } = setup();
  const schema = paymentResponseSchema.shape.PaymentReceipt;
  expect(schema.parse([cashier, customer])).toEqual([cashier, customer]);
});

test('a line is form-encoded as terminals do it', () => {
  const { cashier } = setup();
  const texts = cashier.OutputContent.OutputText;
  expect(texts.find(({ Text }) => Text.endsWith('key=totalAmount'))).toEqual({
    Text: 'name=TOTAL&value=%e2%82%ac%2010.99&key=totalAmount',
    CharacterStyle: 'Bold',
    EndOfLineFlag: true,
  });
  expect(texts.find(({ Text }) => Text.endsWith('key=pan'))?.Text).toBe(
    'name=Card&value=%2a%2a%2a%2a1111&key=pan',
  );
  expect(texts.find(({ Text }) => Text.endsWith('key=filler'))).toEqual({
    Text: 'key=filler',
    EndOfLineFlag: true,
  });
});

test('headers, titles, the total and the verdict are bold, and nothing else is', () => {
  const { cashier, customer } = setup({ tipMinor: 198, totalMinor: 1297 });
  const bold = (receipt: PaymentReceipt) =>
    linesOf(receipt)
      .filter((_, at) => receipt.OutputContent.OutputText[at]?.CharacterStyle === 'Bold')
      .map(({ key }) => key);
  expect(bold(cashier)).toEqual(['header1', 'header2', 'merchantTitle', 'totalAmount', 'approved']);
  expect(bold(customer)).toEqual(['header1', 'header2', 'cardholderHeader', 'totalAmount', 'approved']);
});

test('a tip is printed between the amount and the total', () => {
  const { cashier, customer } = setup({ tipMinor: 198, totalMinor: 1297 });
  for (const receipt of [cashier, customer]) {
    const keys = keysOf(receipt);
    const at = keys.indexOf('txtype');
    expect(keys.slice(at, at + 4)).toEqual(['txtype', 'originalAmount', 'gratuityAmount', 'totalAmount']);
    expect(lineOf(receipt, 'originalAmount')?.value).toBe('€ 10.99');
    expect(lineOf(receipt, 'gratuityAmount')?.value).toBe('€ 1.98');
    expect(lineOf(receipt, 'totalAmount')?.value).toBe('€ 12.97');
  }
});

test('a payment without a tip has no tip lines', () => {
  expect(keysOf(setup({ tipMinor: 0 }).cashier)).toEqual(cashierKeys);
});

test('only the cashier copy asks for a signature, and has the flag for it', () => {
  const { cashier, customer } = setup({ verification: 'PaperSignature' });
  expect(cashier.RequiredSignatureFlag).toBe(true);
  expect(customer.RequiredSignatureFlag).toBe(false);
  expect(keysOf(cashier)).toEqual([...cashierKeys, 'filler', 'signature', 'sigline']);
  expect(keysOf(customer)).toEqual(customerKeys);
});

test.each(['OfflinePIN', 'OnlinePIN', undefined] as const)(
  'after %s the receipt asks for no signature',
  (verification) => {
    const { cashier } = setup({ verification });
    expect(cashier.RequiredSignatureFlag).toBe(false);
    expect(keysOf(cashier)).toEqual(cashierKeys);
  },
);

test('a reference is printed without characters that would move the paper or a cursor', () => {
  const { cashier } = setup({ saleReference: 'order\u001b[2J\r\n42\u202e' });
  expect(lineOf(cashier, 'mref')?.value).toBe('order?[2J 42?');
});

test('lines for absent data are left out: the reference, and chip data of a stripe', () => {
  const { cashier } = setup({ saleReference: undefined, entryMode: 'MagStripe' });
  expect(keysOf(cashier)).toEqual(cashierKeys.filter((key) => !['mref', 'panSeq', 'aid'].includes(key!)));
});

test('a merchant without headers keeps their lines empty', () => {
  const { cashier } = setup({ headers: [] });
  expect(keysOf(cashier)).toEqual(cashierKeys);
  expect(cashier.OutputContent.OutputText[0]?.Text).toBe('key=header1');
});

test.each(entryModes)('the receipt names the entry mode %s', (entryMode) => {
  const names = { ICC: 'ICC', Contactless: 'Contactless chip', MagStripe: 'Magnetic stripe', Keyed: 'MKE' };
  expect(lineOf(setup({ entryMode }).cashier, 'posEntryMode')?.value).toBe(names[entryMode]);
});

test('each copy is in the language of its reader (B20)', () => {
  const { cashier, customer } = setup({ merchantLanguage: 'de', customerLanguage: 'fr' });
  expect(lineOf(cashier, 'merchantTitle')?.name).toBe('HÄNDLERBELEG');
  expect(lineOf(cashier, 'totalAmount')?.value).toBe('10,99 €');
  expect(lineOf(customer, 'cardholderHeader')?.name).toBe('TICKET CLIENT');
  expect(lineOf(customer, 'approved')?.name).toBe('PAIEMENT ACCEPTÉ');
});

test.each([
  ['EUR', 1099, '€ 10.99'],
  ['USD', 406, '$ 4.06'],
  ['JPY', 1099, '¥ 1,099'],
  ['KWD', 10_990, 'KWD 10.990'],
  ['USD', 1_234_567_89, '$ 1,234,567.89'],
])('in %s the amount %i is written %s', (currency, totalMinor, written) => {
  expect(lineOf(setup({ currency, totalMinor }).cashier, 'totalAmount')?.value).toBe(written);
});

test('date and time are those of the payment, in UTC', () => {
  const { customer } = setup({ at: Date.UTC(2027, 10, 5, 23, 59, 7, 999) });
  expect(lineOf(customer, 'txdate')?.value).toBe('05/11/2027');
  expect(lineOf(customer, 'txtime')?.value).toBe('23:59:07');
});

test('only the last four digits of the card number are on the receipt', () => {
  const { cashier, customer } = setup();
  const all = decodeURIComponent(JSON.stringify([cashier, customer]));
  expect(all).toContain('****1111');
  expect(all).not.toContain('411111');
});

test.each([
  ['visa', 'debit', 'visadebit'],
  ['mc', 'prepaid', 'mcprepaid'],
  ['amex', 'credit', 'amex'],
  ['maestro', 'debit', 'maestro'],
])('the card %s %s is printed as the variant %s', (brand, funding, variant) => {
  const { cashier } = setup({ application: { label: 'X', aid: 'A0000000031010', brand }, funding });
  expect(lineOf(cashier, 'paymentMethodVariant')?.value).toBe(variant);
  expect(lineOf(cashier, 'paymentMethod')?.value).toBe(brand);
});

test.each(languages)('every name of %s leaves room for its value', (language) => {
  const texts = locales[language].receipt;
  const widest: Partial<Record<keyof typeof texts, number>> = {
    date: 10,
    time: 8,
    card: 8,
    panSequence: 2,
    preferredName: 16,
    cardType: 12,
    paymentMethod: 12,
    paymentVariant: 12,
    authCode: 6,
    type: 14,
    amount: 15,
    tip: 15,
    total: 15,
    entryMode: Math.max(countColumns(texts.contactlessChip), countColumns(texts.magneticStripe)),
  };
  for (const [name, text] of Object.entries(texts)) {
    const value = widest[name as keyof typeof texts] ?? -1;
    expect(countColumns(text) + 1 + value, text).toBeLessThanOrEqual(32);
  }
});

test('a reversal has the lines of real terminals: no host code, no chip, and the request in place of a verdict', () => {
  const facts = sampleFacts();
  const card = { brand: 'visa', maskedNumber: '411111 **** 1111', entryMode: 'ICC' } as const;
  const [cashier] = buildReversalReceipts({ ...facts, card }).map(
    ({ text }): PaymentReceipt => JSON.parse(text),
  );
  expect(keysOf(cashier!)).toEqual(
    `header1 header2 merchantTitle filler txdate txtime filler pan cardType paymentMethod posEntryMode filler tid ptid
    filler txRef mref filler txtype totalAmount filler filler filler filler void`.split(/\s+/),
  );
  expect(lineOf(cashier!, 'txtype')?.value).toBe('REVERSAL');
  const [unknown] = buildReversalReceipts(facts).map(({ text }): PaymentReceipt => JSON.parse(text));
  expect(keysOf(unknown!)).not.toContain('pan');
  expect(lineOf(unknown!, 'void')?.name).toBe('*VOID REQUESTED*');
});
