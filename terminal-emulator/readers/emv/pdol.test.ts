import { expect, test } from 'vitest';
import { fromHex, toHex } from '../hex.ts';
import { parseAfl } from './afl.ts';
import { makeGpoCommand, makeReadRecordCommand, makeSelectCommand, ppseName, pseName } from './apdu.ts';
import { verificationByCvmList } from './cvm-list.ts';
import { fillDol, parseDol } from './pdol.ts';
import { TlvError } from './tlv.ts';

const transaction = {
  currencyCode: '840',
  countryCode: '840',
  nowMs: Date.UTC(2026, 10, 20, 13, 5, 9),
  unpredictableNumber: fromHex('11223344'),
};

test('commands are the bytes of the reference', () => {
  expect(toHex(makeSelectCommand(ppseName))).toBe('00A404000E325041592E5359532E444446303100');
  expect(toHex(makeSelectCommand(pseName))).toBe('00A404000E315041592E5359532E444446303100');
  expect(toHex(makeSelectCommand(fromHex('A0000000031010')))).toBe('00A4040007A000000003101000');
  expect(toHex(makeGpoCommand(new Uint8Array()))).toBe('80A8000002830000');
  expect(toHex(makeReadRecordCommand(1, 1))).toBe('00B2010C00');
  expect(toHex(makeReadRecordCommand(2, 1))).toBe('00B2020C00');
});

test('a usual contactless PDOL is answered with the bytes of the reference, except the amount, which is always 0', () => {
  const entries = parseDol(fromHex('9F6604 9F0206 9F0306 9F1A02 9505 5F2A02 9A03 9C01 9F3704'));
  const command = makeGpoCommand(fillDol(entries, transaction));
  expect(toHex(command)).toBe(
    toHex(
      fromHex(
        '80A80000 23 8321 36804000 000000000000 000000000000 0840 0000000000 0840 261120 00 11223344 00',
      ),
    ),
  );
});

test('numbers are cut and padded at the front, other objects at the end, and unknown ones are zeros', () => {
  const dol = parseDol(fromHex('9F0204 9F0208 5F2A01 5F2A03 9F3702 9F3706 DF811702 9F2103'));
  expect(toHex(fillDol(dol, transaction))).toBe(
    '00000000' + '0000000000000000' + '40' + '000840' + '1122' + '112233440000' + '0000' + '130509',
  );
});

test.each(['9F', '9F02', '9F02 06 9F', '9F8182838401'])('the broken list %s is refused', (bytes) => {
  expect(() => parseDol(fromHex(bytes))).toThrow(TlvError);
});

test('a list that asks for more than a command holds is refused', () => {
  expect(() => fillDol(parseDol(fromHex('9F02FF')), transaction)).toThrow(TlvError);
});

test('a file locator is read as files and records', () => {
  expect(parseAfl(fromHex('08010200 10010100'))).toEqual([
    { sfi: 1, firstRecord: 1, lastRecord: 2 },
    { sfi: 2, firstRecord: 1, lastRecord: 1 },
  ]);
});

test.each(['080102', '00010200', 'F8010200', '09010200', '08000200', '08030200', '0801FF00'])(
  'the broken file locator %s is refused',
  (bytes) => {
    expect(() => parseAfl(fromHex(bytes))).toThrow(TlvError);
  },
);

test.each([
  ['0000000000000000 4103 4203 5E03 1F03', 'offlinePin'],
  ['0000000000000000 4203 5E03 1F03', 'onlinePin'],
  ['0000000000000000 5E03 1F03', 'signature'],
  ['0000000000000000 4201 1F03', 'none'],
  ['0000000000000000 0001', undefined],
  ['0000000000000000 41', undefined],
  ['', undefined],
])('the verification rules %s ask for %s', (list, verification) => {
  expect(verificationByCvmList(fromHex(list))).toBe(verification);
});
