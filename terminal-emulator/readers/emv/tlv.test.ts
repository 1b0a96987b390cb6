import berTlv from 'ber-tlv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { concatBytes, fromHex, toHex } from '../hex.ts';
import { encodeTlv, findAllTlv, findTlv, parseTlv, type Tlv, TlvError } from './tlv.ts';

const fuzz = { seed: 20_260_101, numRuns: 500 };

/** The directory of a contactless card: three levels of objects, with tags of one and two bytes. */
const ppse = fromHex('6F23 840E 325041592E5359532E4444463031 A511 BF0C0E 610C 4F07A0000000031010 870101');

test('a directory is parsed with all its nested objects', () => {
  const [fci] = parseTlv(ppse);
  expect(fci?.tag).toBe(0x6f);
  expect(toHex(findTlv([fci!], 0x4f)!.value)).toBe('A0000000031010');
  expect(toHex(findTlv([fci!], 0x87)!.value)).toBe('01');
  expect(findAllTlv([fci!], 0x61)).toHaveLength(1);
});

test('tags of three bytes and lengths of two are read', () => {
  const value = new Uint8Array(300).fill(7);
  const [object] = parseTlv(concatBytes(fromHex('DF8117 82012C'), value));
  expect(object).toMatchObject({ tag: 0xdf8117, value });
  expect(parseTlv(fromHex('9F02 8106 000000000100'))).toMatchObject([{ tag: 0x9f02 }]);
});

test('padding between objects is skipped, and FF only if it is not a tag', () => {
  expect(parseTlv(fromHex('0000 5A0147 00FF 5F340101 FF')).map(({ tag }) => tag)).toEqual([0x5a, 0x5f34]);
  expect(parseTlv(fromHex('70 07 00 5A0147 0000 00')).map(({ tag }) => tag)).toEqual([0x70]);
  expect(parseTlv(fromHex('00 FFEE01 03 5A0147'), { ffIsTag: true })).toMatchObject([{ tag: 0xffee01 }]);
});

test.each([
  ['5A 08 47 61', 'a length reaches past the end'],
  ['5A', 'ends within an object'],
  ['9F', 'ends within an object'],
  ['5A 81', 'ends within an object'],
  ['5A 82 01', 'ends within an object'],
  ['70 03 5A 02 47 61', 'a length reaches past the end'],
  ['70 80 5A 01 47 00 00', 'a length is indefinite'],
  ['5A 83 00 00 01 47', 'a length is indefinite or longer than two bytes'],
  ['9F 81 82 83 84 05 00', 'a tag is longer than four bytes'],
])('%s is refused: %s', (bytes, message) => {
  expect(() => parseTlv(fromHex(bytes))).toThrow(TlvError);
  expect(() => parseTlv(fromHex(bytes))).toThrow(message);
});

test('hostile inputs are refused: too deep, too many or too large objects', () => {
  let nested: Uint8Array = new Uint8Array();
  for (let depth = 0; depth < 9; depth++) nested = encodeTlv(0x70, nested);
  expect(() => parseTlv(nested)).toThrow('nested deeper');
  expect(() => parseTlv(new Uint8Array(4_096).fill(0x01).map((_, at) => (at % 2 ? 0 : 1)))).toThrow(
    'objects',
  );
  expect(() => parseTlv(new Uint8Array(70_000))).toThrow('longer than');
});

test('encoded objects are parsed back the same', () => {
  fc.assert(
    fc.property(wellFormed(3), (bytes) => {
      const again = concatBytes(...parseTlv(bytes).map(encodeAgain));
      expect(toHex(again)).toBe(toHex(bytes));
    }),
    fuzz,
  );
});

test('the library ber-tlv parses every well-formed input to the same objects', () => {
  fc.assert(
    fc.property(wellFormed(3), (bytes) => {
      expect(plain(parseTlv(bytes))).toEqual(theirs(berTlv.TlvFactory.parse(Buffer.from(bytes))));
    }),
    fuzz,
  );
});

test('parsing any bytes ends with objects or a TlvError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
      expectObjectsOrTlvError(bytes);
    }),
    { ...fuzz, numRuns: 2_000 },
  );
});

test('parsing a well-formed input with a changed byte ends with objects or a TlvError', () => {
  fc.assert(
    fc.property(wellFormed(3), fc.nat(), fc.nat(255), (bytes, at, value) => {
      const mutated = Uint8Array.from(bytes);
      if (mutated.length > 0) mutated[at % mutated.length] = value;
      expectObjectsOrTlvError(mutated);
    }),
    { ...fuzz, numRuns: 2_000 },
  );
});

function expectObjectsOrTlvError(bytes: Uint8Array): void {
  try {
    for (const { value } of parseTlv(bytes)) expect(value.length).toBeLessThanOrEqual(bytes.length);
  } catch (error) {
    expect(error).toBeInstanceOf(TlvError);
  }
}

const primitiveTags = [0x4f, 0x50, 0x57, 0x5a, 0x82, 0x94, 0x5f24, 0x9f02, 0x9f38, 0xdf8117];
const constructedTags = [0x61, 0x6f, 0x70, 0x77, 0xa5, 0xbf0c];

/** Generates rows of objects, as bytes, with tags that occur on cards. */
function wellFormed(depth: number): fc.Arbitrary<Uint8Array> {
  const primitive = fc
    .tuple(fc.constantFrom(...primitiveTags), fc.uint8Array({ maxLength: 200 }))
    .map(([tag, value]) => encodeTlv(tag, value));
  if (depth === 0) return fc.array(primitive, { maxLength: 4 }).map((parts) => concatBytes(...parts));
  const constructed = fc
    .tuple(fc.constantFrom(...constructedTags), wellFormed(depth - 1))
    .map(([tag, value]) => encodeTlv(tag, value));
  return fc.array(fc.oneof(primitive, constructed), { maxLength: 4 }).map((parts) => concatBytes(...parts));
}

function encodeAgain({ tag, value, children }: Tlv): Uint8Array {
  return encodeTlv(tag, children ? children.map(encodeAgain) : value);
}

interface Plain {
  tag: string;
  value: string;
  children: Plain[];
}

function plain(row: readonly Tlv[]): Plain[] {
  return row.map(({ tag, value, children }) => ({
    tag: tag.toString(16).toUpperCase(),
    value: children ? '' : toHex(value),
    children: plain(children ?? []),
  }));
}

function theirs(row: readonly berTlv.ITlv[]): Plain[] {
  return row.map(({ tag, type, value, items }) => ({
    tag: tag.toUpperCase(),
    value: type === berTlv.TlvType.CONSTRUCTED ? '' : value.toString('hex').toUpperCase(),
    children: theirs(items ?? []),
  }));
}
