import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeSwipe, msrFramings } from '../emulators/msr-emulator.ts';
import { CardError } from '../reader-driver.ts';
import { computeTrackLrc } from './lrc.ts';
import { parseSwipe } from './parse-swipe.ts';
import { splitTracks } from './split-tracks.ts';

const track1 = '%B4761739001010010^DOE/JOHN Q^27122011184500000000000?';
const track2 = ';4761739001010010=27122011845888890000?';
const track3 = '+014761739001010010=724724000000000003000000000000000001=?';
const key = new Uint8Array(32);

const swipe = (text: string) => parseSwipe(new TextEncoder().encode(text), key);

test('the check character of the reference is 5', () => {
  expect(computeTrackLrc(track2, 0x30)).toBe('5');
});

test('track 2 contains number, expiry and service code', () => {
  expect(swipe(`${track2}\r`)).toMatchObject({
    entry: 'MagStripe',
    maskedPan: '476173 **** 0010',
    brand: 'visa',
    expiry: '1227',
    serviceCode: '201',
    verification: 'signature',
    applications: [],
    checkDigitValid: true,
  });
});

for (const framing of msrFramings)
  for (const lrc of [false, true])
    test(`all three tracks are found in the ${framing} framing ${lrc ? 'with' : 'without'} check characters`, () => {
      const bytes = encodeSwipe({ track1, track2, track3 }, framing, lrc);
      const tracks = splitTracks(Buffer.from(bytes).toString('latin1'));
      expect(tracks?.map(({ number, text }) => [number, text !== undefined])).toEqual([
        [1, true],
        [2, true],
        [3, true],
      ]);
      expect(parseSwipe(bytes, key)).toMatchObject({ maskedPan: '476173 **** 0010', serviceCode: '201' });
    });

test.each([
  ['MagTek with STX, ESC and ETX', `\x02\x1b${track1}${track2}${track3}\r\x03`],
  ['MagTek as delivered', `${track1}${track2}${track3}\r`],
  ['a third track of CDL', `${track1}${track2}!0123?\r`],
  ['ID TECH with an ISO third track', `${track1}\r${track2}\r;0123?\r`],
  ['ID TECH with an AAMVA third track', `${track1}\r${track2}\r%0123?\r`],
  ['UIC', `\x02${track1}\x10\x02${track2}\x03`],
  ['track 1 alone', `${track1}\r`],
  ['track 2 alone', `${track2}\r`],
  ['a bad track 1', `%E?${track2}\r`],
  ['a bad track 2', `${track1};E?\r`],
  ['a bad track 3', `${track1}${track2}+E?\r`],
  ['line feeds', `${track1}\r\n${track2}\r\n`],
])('%s is read', (_name, text) => {
  expect(swipe(text)).toMatchObject({ maskedPan: '476173 **** 0010', expiry: '1227', serviceCode: '201' });
});

test('a card without expiry and service code is read', () => {
  expect(swipe(';4761739001010010===1845888890000?\r')).toMatchObject({
    maskedPan: '476173 **** 0010',
    expiry: undefined,
    serviceCode: undefined,
    verification: undefined,
  });
  expect(swipe('%B4761739001010010^DOE/JOHN^^^118450?\r')).toMatchObject({ expiry: undefined });
});

test('a service code that requires a PIN leads to an online PIN', () => {
  expect(swipe(';4761739001010010=27121201845888890000?\r').verification).toBe('onlinePin');
  expect(swipe(';4761739001010010=27121011845888890000?\r').verification).toBe('signature');
});

test.each([
  ['nothing readable', '%E?;E?+E?\r'],
  ['only a third track', '+0123?\r'],
  ['a track without its end', ';4761739001010010=2712201184'],
  ['something else', 'hello\r'],
  ['two cards', `%B5413330089099130^DOE^2712201?${track2}\r`],
  ['a wrong check character', `${track2}6\r`],
  ['a wrong check character that looks like a track', `${track2};\r`],
  ['a number too long', ';47617390010100101234=2712201?\r'],
  ['a track too long', `;4761739001010010=${'1'.repeat(60)}?\r`],
  ['nothing', ''],
])('%s is a bad read', (_name, text) => {
  expect(() => swipe(text)).toThrow(expect.objectContaining({ code: 'BAD_READ' }));
});

test('a check character that looks like the start of a track is read as the check character', () => {
  // One of these hundred tracks has a semicolon as its check character.
  const text = Array.from({ length: 100 }, (_, at) => `;4761739001010010=271220118458888900${at}?`);
  const semicolon = text.find((track) => computeTrackLrc(track, 0x30) === ';');
  expect(semicolon).toBeDefined();
  expect(splitTracks(`${semicolon};\r`)).toEqual([{ number: 2, text: semicolon?.slice(1, -1) }]);
});

test('a binary format that may be encrypted is refused with that reason', () => {
  const data = new TextEncoder().encode('anything');
  const xor = data.reduce((check, byte) => check ^ byte, 0);
  const sum = data.reduce((total, byte) => (total + byte) & 0xff, 0);
  const frame = Uint8Array.of(0x02, data.length, 0x00, ...data, xor, sum, 0x03);
  expect(() => parseSwipe(frame, key)).toThrow(expect.objectContaining({ code: 'UNSUPPORTED_APP' }));
});

test('nothing that a swipe returns contains the number, the name or the discretionary data', () => {
  const text = JSON.stringify(swipe(`${track1}${track2}\r`));
  for (const secret of ['4761739001010010', 'DOE', '1845888890000', '184500000000000'])
    expect(text).not.toContain(secret);
});

test('parsing any input ends with a read or a card error', () => {
  const characters = fc.constantFrom(...'%;+!?=^BE0123456789\r\n\x02\x03\x10\x1b AZ');
  const text = fc.oneof(
    fc.string({ unit: characters, maxLength: 300 }),
    fc
      .tuple(fc.nat(110), fc.nat(255))
      .map(([at, code]) =>
        `${track1}${track2}\r`.replace(new RegExp(`^([^]{${at}})[^]`), `$1${String.fromCharCode(code)}`),
      ),
  );
  fc.assert(
    fc.property(text, (sent) => {
      try {
        expect(swipe(sent).maskedPan).toMatch(/^\d{6} \*{4} \d{4}$/);
      } catch (error) {
        expect(error).toBeInstanceOf(CardError);
      }
    }),
    { seed: 3, numRuns: 2_000 },
  );
});
