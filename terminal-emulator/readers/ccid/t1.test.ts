import fc from 'fast-check';
import { expect, test } from 'vitest';
import { T1Card } from '../emulators/t1-card.ts';
import { fromHex, toHex } from '../hex.ts';
import { CardError } from '../reader-driver.ts';
import { T1Link } from './t1.ts';
import { decodeT1, encodeT1, type T1Block } from './t1-block.ts';

const apdu = fromHex('00A4040007A000000003101000');

/**
 * Makes a card that answers with the reversed bytes of its command and 9000. `tamper` can damage the blocks on the
 * line.
 */
function setup(
  options: {
    fieldSize?: number;
    answerLength?: number;
    tamper?: (block: Uint8Array, nth: number) => Uint8Array;
  } = {},
) {
  const commands: string[] = [];
  const card = new T1Card((command) => {
    commands.push(toHex(command));
    return Uint8Array.of(...new Uint8Array(options.answerLength ?? 20).fill(0x5a), 0x90, 0x00);
  }, options.fieldSize ?? 254);
  const sent: string[] = [];
  let nth = 0;
  const link = new T1Link(async (block) => {
    sent.push(toHex(block));
    const tamper = options.tamper ?? ((each: Uint8Array) => each);
    return tamper(card.receive(tamper(block, nth++)), nth++);
  }, options.fieldSize ?? 254);
  return { link, sent, commands };
}

test('the block that announces our block size has the bytes of the reference', async () => {
  const { link, sent } = setup();
  await link.announceFieldSize();
  expect(sent).toEqual(['00C101FE3E']);
});

test('blocks of all kinds are the same after they are written and parsed', () => {
  const blocks = [
    '000002AABB13',
    '002002AABB33',
    '0040011150',
    '0060011170',
    '00800080',
    '00910091',
    '00E101FE1E',
    '00C101FE3E',
    '00C000C0',
  ];
  expect(blocks.map((hex) => toHex(encodeT1(decodeT1(fromHex(hex)) as T1Block)))).toEqual(blocks);
  const chains = blocks
    .map((hex) => decodeT1(fromHex(hex)))
    .map((block) => (block as { more?: boolean }).more);
  expect(chains).toEqual([false, true, false, true, ...Array(5).fill(undefined)]);
  expect(decodeT1(fromHex('00C101FE3F'))).toBe('checksum');
  expect(decodeT1(fromHex('00C1'))).toBe('other');
});

test('block numbers alternate from command to command', async () => {
  const { link, sent } = setup();
  for (let count = 0; count < 3; count++) await link.transmit(apdu);
  expect(sent.map((block) => block.slice(2, 4))).toEqual(['00', '40', '00']);
});

test('a long command and a long answer go in chained blocks', async () => {
  const { link, commands, sent } = setup({ fieldSize: 5, answerLength: 300 });
  await link.announceFieldSize();
  const answer = await link.transmit(apdu);
  expect(commands).toEqual([toHex(apdu)]);
  expect(sent.slice(1, 4).map((block) => block.slice(0, 6))).toEqual(['002005', '006005', '000003']);
  expect(answer.length).toBe(302);
});

test('a card that is resynchronised in the middle of a command forgets the received part', () => {
  const commands: string[] = [];
  const card = new T1Card((command) => {
    commands.push(toHex(command));
    return fromHex('9000');
  }, 254);
  const receive = (hex: string) => toHex(card.receive(fromHex(hex)));
  expect(receive('002002AABB33')).toBe('00900090');
  expect(receive('00C000C0')).toBe('00E000E0');
  expect(receive('000002AABB13')).toBe('000002900092');
  expect(commands).toEqual(['AABB']);
});

test('a card that asks for more time gets it, and so does one that asks for smaller blocks', async () => {
  const factors: number[] = [];
  const answers = ['00C30105C7', '00C10104C4', '000002900092'];
  const sent: string[] = [];
  const link = new T1Link(async (block, factor) => {
    sent.push(toHex(block));
    factors.push(factor);
    return fromHex(answers.shift()!);
  }, 254);
  expect(toHex(await link.transmit(apdu))).toBe('9000');
  expect(sent.slice(1)).toEqual(['00E30105E7', '00E10104E4']);
  expect(factors).toEqual([1, 5, 1]);
});

test('an agreement that did not reach the card is sent again', async () => {
  const answers = ['00C30105C7', '00810081', '00820082', '000002900092'];
  const sent: string[] = [];
  const link = new T1Link(async (block) => {
    sent.push(toHex(block));
    return fromHex(answers.shift()!);
  }, 254);
  expect(toHex(await link.transmit(apdu))).toBe('9000');
  expect(sent.slice(1)).toEqual(['00E30105E7', '00E30105E7', '00E30105E7']);
});

test('any single damaged block, in either direction, causes only a repetition', async () => {
  for (let damaged = 0; damaged < 12; damaged++) {
    const tamper = (block: Uint8Array, nth: number) => {
      if (nth !== damaged) return block;
      const copy = Uint8Array.from(block);
      copy[copy.length - 1]! ^= 0x55;
      return copy;
    };
    const { link, commands } = setup({ fieldSize: 8, answerLength: 40, tamper });
    const answers = [await link.transmit(apdu), await link.transmit(apdu)];
    expect(
      answers.map((answer) => answer.length),
      `block ${damaged}`,
    ).toEqual([42, 42]);
    expect(commands, `block ${damaged}`).toEqual([toHex(apdu), toHex(apdu)]);
  }
});

test('a line that damages everything is a bad read, after an attempt to resynchronise', async () => {
  const { link, sent } = setup({ tamper: (block, nth) => (nth % 2 === 1 ? Uint8Array.of(0) : block) });
  await expect(link.transmit(apdu)).rejects.toThrow(CardError);
  expect(sent).toContain('00C000C0');
});

test('every answer of a card lets a command end in an answer or a card error', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 8 }), { minLength: 1, maxLength: 20 }),
      async (answers) => {
        let turn = 0;
        const link = new T1Link(async () => answers[turn++ % answers.length]!, 32);
        await link.transmit(apdu).catch((error) => expect(error).toBeInstanceOf(CardError));
      },
    ),
    { seed: 9, numRuns: 200 },
  );
  // Well-formed blocks of every kind in any order.
  const block = fc.tuple(
    fc.constantFrom(0x00, 0x40, 0x20, 0x60, 0x80, 0x90, 0x81, 0xc1, 0xc3, 0xe1),
    fc.uint8Array({ maxLength: 1 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(block, { minLength: 1, maxLength: 12 }), async (blocks) => {
      let turn = 0;
      const link = new T1Link(async () => {
        const [control, data] = blocks[turn++ % blocks.length]!;
        const bytes = Uint8Array.of(0, control, data.length, ...data, 0);
        bytes[bytes.length - 1] = bytes.reduce((xor, byte) => xor ^ byte, 0);
        return bytes;
      }, 32);
      await link.transmit(apdu).catch((error) => expect(error).toBeInstanceOf(CardError));
    }),
    { seed: 10, numRuns: 200 },
  );
});
