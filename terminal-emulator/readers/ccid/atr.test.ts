import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeAtr } from '../emulators/emv-card-answers.ts';
import { fromHex, toHex } from '../hex.ts';
import { AtrError, parseAtr } from './atr.ts';

test('the answer to reset of a real T=0 card is parsed', () => {
  const atr = parseAtr(fromHex('3B6500002063CB6A00'));
  expect(atr).toMatchObject({ protocol: 'T=0', protocols: [0], specific: false, speed: 0x11, guardTime: 0 });
  expect(toHex(atr.historical)).toBe('2063CB6A00');
});

test('the answer to reset of a T=1 card gives its block size and waiting times', () => {
  expect(parseAtr(makeAtr('T=1'))).toMatchObject({
    protocol: 'T=1',
    informationFieldSize: 254,
    blockWaiting: 0x45,
    errorDetection: 'LRC',
    inverse: false,
  });
});

test('the first protocol offered is the one that is used, and T=15 does not count', () => {
  // T0=80 announces TD1=80 (T=0). TD1 announces TD2=1F (T=15), and TD2 announces TA3: global bytes. TCK follows.
  expect(parseAtr(fromHex('3B80801FC7D8'))).toMatchObject({ protocols: [0] });
});

test('specific mode names the protocol and forbids negotiation', () => {
  // T0=90 announces TA1=96 and TD1=11. TD1 announces TA2=81 (T=1).
  const body = fromHex('90961181');
  const check = body.reduce((xor, byte) => xor ^ byte, 0);
  expect(parseAtr(Uint8Array.of(0x3b, ...body, check))).toMatchObject({
    protocol: 'T=1',
    specific: true,
    speed: 0x96,
  });
});

test.each([
  ['3B', 'too short'],
  ['0065', 'wrong first byte'],
  ['3B6500', 'ends within'],
  ['3BE50000', 'ends within'],
  ['3BE500008131FE452063CB6A0000', 'wrong check byte'],
  ['3BE500008131FE452063CB6A00', 'no check byte'],
  ['3B8002', 'T=2 only'],
])('%s is refused: %s', (hex) => {
  expect(() => parseAtr(fromHex(hex))).toThrow(AtrError);
});

test('parsing any bytes ends with an answer to reset or an AtrError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      try {
        parseAtr(Uint8Array.of(0x3b, ...bytes));
      } catch (error) {
        expect(error).toBeInstanceOf(AtrError);
      }
    }),
    { seed: 8, numRuns: 500 },
  );
});
