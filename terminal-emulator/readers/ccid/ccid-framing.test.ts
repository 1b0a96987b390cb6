import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { concatBytes, fromHex, toHex } from '../hex.ts';
import { acsFraming } from './acs-framing.ts';
import type { CcidFraming, CcidLineEvent } from './ccid-framing.ts';
import { ccidCommandTypes, decodeCcid, encodeCcid, largestCcidDataBytes } from './ccid-message.ts';
import { gemPcFraming } from './gempc-framing.ts';

const firmwareEscape = '03066B010000000000000000026D';
const powerOn5V = '0306620000000000080100006E';
const answerToReset = '0306800900000000080000003B6500002063CB6A0038';
const readRecord = '03066F05000000002B00000000B2010C00FB';
const wrongLength = '03068002000000002B0000006C23E3';

function readable(events: CcidLineEvent[]): string[] {
  return events.map((event) => {
    if (event.kind === 'message') return toHex(event.bytes);
    if (event.kind === 'card') return event.present ? 'in' : 'out';
    return event.kind === 'garbage' ? `garbage ${event.bytes}` : event.kind;
  });
}

function feedAll(framing: CcidFraming, chunks: Uint8Array[]): string[] {
  const decoder = framing.createDecoder();
  return chunks.flatMap((chunk) => readable(decoder.feed(chunk)));
}

test.each([firmwareEscape, powerOn5V, answerToReset, readRecord, wrongLength])(
  'the GemPC frame %s is parsed and written the same',
  (frame) => {
    const [message] = feedAll(gemPcFraming, [fromHex(frame)]);
    expect(message).toBe(frame.slice(4, -2));
    expect(toHex(gemPcFraming.wrap(fromHex(message!)))).toBe(frame);
  },
);

test('after dropped bytes, a report of a card counts only once a whole frame has come, in whichever chunk', () => {
  const [stray, out] = ['00', '5002'];
  const message = firmwareEscape.slice(4, -2);
  const fed = (...chunks: string[]) => feedAll(gemPcFraming, chunks.map(fromHex));
  expect(fed(out)).toEqual(['out']);
  expect(fed(stray + out)).not.toContain('out');
  expect(fed(stray, out)).not.toContain('out');
  expect(fed(stray + firmwareEscape + out)).toEqual([message, 'out', 'garbage 1']);
  expect(fed(stray, firmwareEscape, out)).toEqual(['garbage 1', message, 'out']);
});

test('a command message has the bytes of the reference', () => {
  const apdu = fromHex('00B2010C00');
  const bytes = encodeCcid({
    type: ccidCommandTypes.xfrBlock,
    slot: 0,
    sequence: 0x2b,
    parameters: [0, 0, 0],
    data: apdu,
  });
  expect(toHex(gemPcFraming.wrap(bytes))).toBe(readRecord);
  expect(decodeCcid(bytes)?.data).toEqual(apdu);
});

test('GemPC card reports, repetitions and time extensions are recognised between its frames', () => {
  const line = fromHex(`5003 ${firmwareEscape} 8081 ${wrongLength} 031516 5002`);
  expect(feedAll(gemPcFraming, [line])).toEqual([
    'in',
    firmwareEscape.slice(4, -2),
    'working',
    'working',
    wrongLength.slice(4, -2),
    'repeat',
    'out',
  ]);
});

test('data of a damaged frame are not taken for a report about the card', () => {
  const frame = gemPcFraming.wrap(fromHex('80 02000000 00 05 00 00 00 5002'));
  expect(gemPcFraming.createDecoder().feed(frame)).toMatchObject([{ kind: 'message' }]);
  frame[8]! ^= 0x01;
  expect(
    gemPcFraming
      .createDecoder()
      .feed(frame)
      .map(({ kind }) => kind),
  ).not.toContain('card');
});

test('the ACS envelope carries the same messages, with confirmations and error reports', () => {
  const message = fromHex('65000000000000000000');
  expect(toHex(acsFraming.wrap(message))).toBe('02650000000000000000006503');
  const line = concatBytes(
    fromHex('02000003'),
    acsFraming.wrap(message),
    fromHex('02FFFF03 02FEFE03 02FDFD03 02FCFC03'),
    fromHex(`02${'00'.repeat(11)}03`),
    fromHex('02500C5C03 0250085803 0250035303'),
  );
  expect(feedAll(acsFraming, [line])).toEqual([
    'working',
    toHex(message),
    'repeat',
    'repeat',
    'repeat',
    'repeat',
    'repeat',
    'in',
    'out',
    'elsewhere',
  ]);
});

test('a message with a wrong length field is not accepted', () => {
  expect(decodeCcid(fromHex('80090000000000000000'))).toBeUndefined();
  expect(decodeCcid(fromHex('80'))).toBeUndefined();
});

describe.each([gemPcFraming, acsFraming])('$name framing', (framing) => {
  const message = fc
    .record({
      type: fc.constantFrom(0x61, 0x62, 0x6f, 0x80, 0x81, 0x83),
      sequence: fc.integer({ min: 0, max: 255 }),
      data: fc.uint8Array({ maxLength: 300 }),
    })
    .map((fields) => encodeCcid({ ...fields, slot: 0, parameters: [0, 0, 0] }));

  test('frames that arrive together are all found, however the line splits them', () => {
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 5 }),
        fc.array(fc.nat(40), { minLength: 1 }),
        (messages, cuts) => {
          const line = concatBytes(...messages.map((each) => framing.wrap(each)));
          const chunks: Uint8Array[] = [];
          for (let at = 0, turn = 0; at < line.length; turn++) {
            const size = 1 + (cuts[turn % cuts.length] ?? 0);
            chunks.push(line.slice(at, at + size));
            at += size;
          }
          expect(feedAll(framing, chunks)).toEqual(messages.map(toHex));
        },
      ),
      { seed: 5, numRuns: 150 },
    );
  });

  test('a damaged frame is never accepted, and the next good one is found', () => {
    fc.assert(
      fc.property(message, message, fc.nat(), fc.integer({ min: 1, max: 255 }), (first, second, at, flip) => {
        const damaged = framing.wrap(first);
        damaged[at % damaged.length]! ^= flip;
        const decoder = framing.createDecoder();
        const events = readable(decoder.feed(damaged));
        decoder.reset();
        events.push(...readable(decoder.feed(framing.wrap(second))));
        expect(events.filter((event) => event === toHex(first) && toHex(first) !== toHex(second))).toEqual(
          [],
        );
        expect(events).toContain(toHex(second));
      }),
      { seed: 6, numRuns: 300 },
    );
  });

  test.each([largestCcidDataBytes + 1, 0x7fffffff, 0xffffffff])(
    'a header that claims %i bytes of data is garbage, and nothing waits for them',
    (claimed) => {
      const header = encodeCcid({
        type: 0x80,
        slot: 0,
        sequence: 1,
        parameters: [0, 0, 0],
        data: new Uint8Array(),
      });
      const good = encodeCcid({
        type: 0x81,
        slot: 0,
        sequence: 2,
        parameters: [0, 0, 0],
        data: new Uint8Array(),
      });
      new DataView(header.buffer).setUint32(1, claimed, true);
      const decoder = framing.createDecoder();
      decoder.feed(framing.wrap(header));
      expect(readable(decoder.feed(framing.wrap(good)))).toContain(toHex(good));
      expect(decoder.partial).toBe(false);
    },
  );

  test('the longest message is read completely', () => {
    const data = new Uint8Array(largestCcidDataBytes).fill(0x5a);
    const longest = encodeCcid({ type: 0x80, slot: 0, sequence: 1, parameters: [0, 0, 0], data });
    expect(feedAll(framing, [framing.wrap(longest)])).toEqual([toHex(longest)]);
  });

  test('garbage of any kind does no harm', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 30 }), message, (chunks, good) => {
        const decoder = framing.createDecoder();
        for (const chunk of chunks) decoder.feed(chunk);
        decoder.reset();
        expect(readable(decoder.feed(framing.wrap(good)))).toEqual([toHex(good)]);
      }),
      { seed: 7, numRuns: 200 },
    );
  });
});
