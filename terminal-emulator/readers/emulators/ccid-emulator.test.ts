import fc from 'fast-check';
import { expect, test } from 'vitest';
import { VirtualClock } from '../../../shared/virtual-clock.ts';
import { encodeCcid } from '../ccid/ccid-message.ts';
import { gemPcFraming } from '../ccid/gempc-framing.ts';
import { fromHex, toHex } from '../hex.ts';
import { createMemoryLine } from '../transport/memory-transport.fixture.ts';
import { CcidEmulator } from './ccid-emulator.ts';
import { createEmvCard } from './emv-card.ts';

const card = createEmvCard({
  id: 'visa',
  applications: [
    {
      aid: 'A0000000031010',
      label: 'VISA CREDIT',
      preferredName: 'ABC',
      priority: 1,
      gpo: 'format1',
      pan: '4761739001010010',
      expiry: '271231',
      serviceCode: '201',
      country: '840',
    },
  ],
  pse: true,
  ppse: true,
  protocol: 'T=0',
  uid: '04112233',
});

function setup(options: { echo?: boolean; framing?: 'gempc' | 'acs' } = { echo: false }) {
  const clock = new VirtualClock({ startMs: 0 });
  const [near, far] = createMemoryLine();
  const emulator = new CcidEmulator(far, clock, options);
  let answer = '';
  near.onData((bytes) => {
    answer += toHex(bytes);
  });
  const say = async (hex: string) => {
    answer = '';
    await near.write(fromHex(hex));
    await clock.advance(0);
    return answer;
  };
  return { clock, emulator, say, near };
}

const powerOn = '0306620000000000080100006E';
const firmware = '03066B010000000000000000026D';

/** Gives a command in a GemPC frame, in hexadecimal. */
function frame(type: number, data: string, sequence = 0): string {
  const message = { type, slot: 0, sequence, parameters: [0, 0, 0] as const, data: fromHex(data) };
  return toHex(gemPcFraming.wrap(encodeCcid(message)));
}

test('the frames are those of the reference: power-on gives the answer to reset, and a wrong length is corrected', async () => {
  const { emulator, say } = setup();
  emulator.insert(card);
  expect(await say(powerOn)).toBe('0306800900000000080000003B6500002063CB6A0038');
  expect(await say(frame(0x6f, '00A404000E315041592E5359532E4444463031'))).toMatch(/61..$|61....$/);
  expect(await say('03066F05000000002B00000000B2010C00FB')).toBe('03068002000000002B0000006C23E3');
});

test('every status shows an empty slot, a card, and its removal', async () => {
  const { emulator, say } = setup();
  const slotStatus = frame(0x65, '', 1);
  expect(await say(slotStatus)).toMatch(/^030681000000000001020000/);
  emulator.insert(card);
  expect(await say(slotStatus)).toMatch(/^030681000000000001010000/);
  await say(powerOn);
  expect(await say(slotStatus)).toMatch(/^030681000000000001000000/);
  emulator.remove();
  expect(await say(slotStatus)).toMatch(/^030681000000000001020000/);
});

test('a Twin echoes, asks for a damaged frame again, and repeats its last answer on request', async () => {
  const { say } = setup({ echo: true });
  const answer = await say(firmware);
  expect(answer.startsWith(firmware)).toBe(true);
  expect(await say('031516')).toBe(answer.slice(firmware.length));
  expect(await say(`${firmware.slice(0, -2)}00`)).toContain('031516');
});

test('cards are reported once the host has asked for reports', async () => {
  const { clock, emulator, say, near } = setup();
  const texts: string[] = [];
  near.onData((bytes) => texts.push(toHex(bytes)));
  emulator.insert(card);
  emulator.remove();
  await clock.advance(0);
  expect(texts).toEqual([]);
  await say(frame(0x6b, '010101'));
  texts.length = 0;
  emulator.insert(card);
  emulator.remove();
  await clock.advance(0);
  expect(texts).toEqual(['5003', '5002']);
});

test('an ACR1281S reports cards without a request', async () => {
  const { clock, emulator, near } = setup({ framing: 'acs' });
  const texts: string[] = [];
  near.onData((bytes) => texts.push(toHex(bytes)));
  emulator.insert(card);
  emulator.remove();
  await clock.advance(0);
  expect(texts).toEqual(['02500C5C03', '0250085803']);
});

test('a frame that a host cut off by hanging up does not spoil the next one', async () => {
  const { clock, say } = setup();
  await say(firmware.slice(0, 12));
  await clock.advance(200);
  expect(await say(firmware)).toMatch(/^030683/);
});

test.each(['gempc', 'acs'] as const)(
  'the emulator survives anything on a %s line, and still answers',
  async (framing) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 20 }), async (chunks) => {
        const { clock, emulator, say, near } = setup({ echo: false, framing });
        emulator.insert(card);
        for (const chunk of chunks) await near.write(chunk);
        await clock.advance(1_000);
        const question = framing === 'gempc' ? firmware : '02650000000000000000006503';
        expect(await say(question)).toMatch(framing === 'gempc' ? /^030683/ : /^0200000302?81/);
      }),
      { seed: 13, numRuns: 100 },
    );
  },
);
