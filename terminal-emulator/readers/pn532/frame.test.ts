import fc from 'fast-check';
import { expect, test } from 'vitest';
import { concatBytes, fromHex, toHex } from '../hex.ts';
import {
  ackFrame,
  encodeFrame,
  errorFrame,
  nackFrame,
  type Pn532Frame,
  Pn532FrameParser,
  wakeUpBytes,
} from './frame.ts';

const fuzz = { seed: 532, numRuns: 400 };

const parse = (bytes: Uint8Array) => new Pn532FrameParser().feed(bytes);
const data = (tfi: number, hex: string): Pn532Frame => ({ type: 'data', tfi, data: fromHex(hex) });

/** Every frame of the reference manual, with its direction (TFI) and its payload. */
const known: readonly (readonly [bytes: string, tfi: number, payload: string])[] = [
  ['0000FF03FDD414011700', 0xd4, '1401'],
  ['0000FF02FED5151600', 0xd5, '15'],
  ['0000FF02FED4022A00', 0xd4, '02'],
  ['0000FF06FAD50332010607E800', 0xd5, '0332010607'],
  ['0000FF06FAD43205FF0101F400', 0xd4, '3205FF0101'],
  ['0000FF02FED533F800', 0xd5, '33'],
  ['0000FF04FCD44A0100E100', 0xd4, '4A0100'],
  ['0000FF03FDD54B00E000', 0xd5, '4B00'],
  ['0000FF11EFD54B01010004200408DEAD010578807002B300', 0xd5, '4B01010004200408DEAD010578807002'],
  ['0000FF05FBD44A010300DE00', 0xd4, '4A010300'],
  [
    '0000FF17E9D4400100A404000E325041592E5359532E4444463031008F00',
    0xd4,
    '400100A404000E325041592E5359532E444446303100',
  ],
  ['0000FF03FDD54101E900', 0xd5, '4101'],
  ['0000FF03FDD45200DA00', 0xd4, '5200'],
];

test.each(known)('%s is parsed and written', (bytes, tfi, payload) => {
  expect(parse(fromHex(bytes))).toEqual([data(tfi, payload)]);
  expect(toHex(encodeFrame(tfi, fromHex(payload)))).toBe(bytes);
});

test('the frames without data have their fixed bytes', () => {
  expect(toHex(ackFrame)).toBe('0000FF00FF00');
  expect(toHex(nackFrame)).toBe('0000FFFF0000');
  expect(toHex(errorFrame)).toBe('0000FF01FF7F8100');
  expect(toHex(wakeUpBytes)).toBe(`5555${'00'.repeat(14)}`);
  expect(parse(concatBytes(ackFrame, nackFrame, errorFrame)).map(({ type }) => type)).toEqual([
    'ack',
    'nack',
    'error',
  ]);
});

test('long data are sent and received as an extended frame', () => {
  for (const length of [253, 254, 255, 264]) {
    const payload = new Uint8Array(length).map((_, at) => at & 0xff);
    const frame = encodeFrame(0xd5, payload);
    expect(frame.subarray(3, 5)).toEqual(
      length < 255 ? Uint8Array.of(length + 1, -(length + 1) & 0xff) : fromHex('FFFF'),
    );
    expect(parse(frame)).toEqual([{ type: 'data', tfi: 0xd5, data: payload }]);
  }
  expect(() => encodeFrame(0xd4, new Uint8Array(265))).toThrow(RangeError);
});

test('frames without preamble or postamble, and an acknowledgement glued to its response, are found', () => {
  expect(parse(fromHex('00FF02FED51516'))).toEqual([data(0xd5, '15')]);
  expect(parse(fromHex('0000FF00FF000000FF02FED5151600'))).toEqual([{ type: 'ack' }, data(0xd5, '15')]);
});

test.each([
  ['a wrong length checksum', '0000FF03FED414011700'],
  ['a length of nothing', '0000FF0000D400'],
  ['a wrong checksum of an extended length', '0000FFFFFF000302D4140117'],
  ['an extended length no chip has', '0000FFFFFF7F0081'],
])('%s is skipped, and the frame after it is found', (_name, bytes) => {
  expect(parse(concatBytes(fromHex(bytes), fromHex('0000FF02FED5151600')))).toContainEqual(data(0xd5, '15'));
});

test('a frame with wrong data is reported as damaged, and the frame after it is found', () => {
  const frames = parse(fromHex('0000FF03FDD414021700 0000FF02FED5151600'));
  expect(frames).toEqual([{ type: 'damaged' }, data(0xd5, '15')]);
});

test('all frames are found, with any splitting and any noise around them', () => {
  const noise = fc.uint8Array({ maxLength: 20 }).map((bytes) => bytes.filter((byte) => byte !== 0x00));
  const piece = fc.tuple(noise, fc.constantFrom(...known));
  fc.assert(
    fc.property(
      fc.array(piece, { minLength: 1, maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 9 })),
      (pieces, cuts) => {
        const stream = concatBytes(...pieces.flatMap(([garbage, [bytes]]) => [garbage, fromHex(bytes)]));
        const parser = new Pn532FrameParser();
        const found = chunks(stream, cuts).flatMap((chunk) => parser.feed(chunk));
        expect(found).toEqual(pieces.map(([, [, tfi, payload]]) => data(tfi, payload)));
      },
    ),
    fuzz,
  );
});

test('a good frame is found in the end, after any other bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (garbage) => {
      const parser = new Pn532FrameParser();
      parser.feed(garbage);
      // The random bytes may have begun a frame. That frame may swallow the first good frames, but never more bytes
      // than one frame can have.
      const good = concatBytes(...new Array<Uint8Array>(40).fill(fromHex('0000FF02FED5151600')));
      expect(parser.feed(good)).toContainEqual(data(0xd5, '15'));
    }),
    fuzz,
  );
});

function chunks(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const parts: Uint8Array[] = [];
  let at = 0;
  for (let turn = 0; at < bytes.length; turn++) {
    const size = sizes.length > 0 ? (sizes[turn % sizes.length] ?? 1) : bytes.length;
    parts.push(bytes.subarray(at, at + size));
    at += size;
  }
  return parts;
}
