import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  chooseUsualBankAccountKind,
  parseBankDetails,
  refusingAccountNumber,
  refusingIban,
} from './bank-details.ts';

test.each([
  ['DE89370400440532013000', '**** 3000'],
  ['de89 3704 0044 0532 0130 00', '**** 3000'],
  ['GB29NWBK60161331926819', '**** 6819'],
  ['NL91-ABNA-0417-1643-00', '**** 4300'],
])('%s is an IBAN (B101)', (iban, masked) => {
  expect(parseBankDetails({ kind: 'iban', iban })).toEqual({ kind: 'iban', masked, refuses: false });
});

test.each(['', 'DE', 'DE88370400440532013000', 'DE8937040044053201300', 'XX89370400440532013000', '💶'])(
  '%s is not an IBAN',
  (iban) => {
    expect(parseBankDetails({ kind: 'iban', iban })).toEqual(['iban']);
  },
);

test('an IBAN with one digit mistyped is never taken', () => {
  const iban = 'DE89370400440532013000';
  fc.assert(
    fc.property(fc.nat({ max: iban.length - 3 }), fc.integer({ min: 1, max: 9 }), (at, by) => {
      const index = at + 2;
      const digit = (Number(iban[index]) + by) % 10;
      expect(
        parseBankDetails({ kind: 'iban', iban: iban.slice(0, index) + digit + iban.slice(index + 1) }),
      ).toEqual(['iban']);
    }),
  );
});

test.each([
  [{ routing: '110000000', account: '000123456789' }, '**** 6789'],
  [{ routing: '021000021', account: '1234' }, '**** 1234'],
])('%j is an account in the United States (B101)', (fields, masked) => {
  expect(parseBankDetails({ kind: 'us', ...fields })).toEqual({ kind: 'us', masked, refuses: false });
});

test.each([
  [{ routing: '110000001', account: '000123456789' }, ['routing']],
  [{ routing: '000000000', account: '000123456789' }, ['routing']],
  [{ routing: '11000000', account: '123' }, ['routing', 'account']],
  [{ routing: '110000000', account: '123456789012345678' }, ['account']],
  [{}, ['routing', 'account']],
])('%j is not an account in the United States', (fields, faults) => {
  expect(parseBankDetails({ kind: 'us', ...fields })).toEqual(faults);
});

test.each([
  [
    { transit: '12345', institution: '003', account: '1234567' },
    { kind: 'ca', masked: '**** 4567', refuses: false },
  ],
  [{ transit: '1234', institution: '03', account: '123456' }, ['transit', 'institution', 'account']],
])('%j is read as an account in Canada, or its wrong fields are named (B101)', (fields, expected) => {
  expect(parseBankDetails({ kind: 'ca', ...fields })).toEqual(expected);
});

test('the test accounts whose bank refuses are well-formed, and each has a known kind of refusal', () => {
  expect(parseBankDetails({ kind: 'iban', iban: refusingIban })).toMatchObject({ refuses: true });
  expect(
    parseBankDetails({ kind: 'us', routing: '110000000', account: refusingAccountNumber }),
  ).toMatchObject({
    refuses: true,
  });
  expect(parseBankDetails({ kind: 'other' })).toEqual(['kind']);
  expect(['EUR', 'USD', 'CAD', 'JPY'].map(chooseUsualBankAccountKind)).toEqual(['iban', 'us', 'ca', 'iban']);
});
