import { expect, test } from 'vitest';
import { testCardSchema as cardSchema, type TestCardDefinition } from '../../../shared/emulator/cards.ts';
import { makeSeededRandom } from '../../../shared/random.ts';
import { VirtualClock } from '../../../shared/virtual-clock.ts';
import { defaultCards } from '../../cards/default-cards.ts';
import { readCard } from '../emv/read-card.ts';
import { parseTlv } from '../emv/tlv.ts';
import { fromHex, toHex } from '../hex.ts';
import { visaApplication, visaDefinition } from '../visa-card.fixture.ts';
import { createEmvCard } from './emv-card.ts';
import {
  contactlessPdol,
  type EmvApplicationDefinition,
  type EmvCardDefinition,
  makeChipDefinition,
} from './emv-card-definition.ts';

const visa: EmvApplicationDefinition = {
  ...visaApplication,
  gpo: 'format1',
  sequenceNumber: 1,
  holder: 'CARDHOLDER/TEST',
};
const definition: EmvCardDefinition = { ...visaDefinition, applications: [visa] };

const selectPse = '00A404000E315041592E5359532E444446303100';
const selectPpse = '00A404000E325041592E5359532E444446303100';
const selectVisa = '00A4040007A000000003101000';
const optionsWithoutPdol = '80A8000002830000';

function setup(changes: Partial<EmvCardDefinition> = {}) {
  const chip = createEmvCard({ ...definition, ...changes });
  const say = (command: string, contactless = false) => toHex(chip.transmit(fromHex(command), contactless));
  return { chip, say };
}

test('the contact directory names the application, record by record', () => {
  const { say } = setup({
    applications: [visa, { ...visa, aid: 'A0000000032010', label: 'ELECTRON', priority: 2 }],
  });
  expect(say(selectPse)).toMatch(/^6F.*A503880101.*9000$/);
  expect(say('00B2010C00')).toBe('701B61194F07A0000000031010500B56495341204352454449548701019000');
  expect(say('00B2020C00')).toMatch(/4F07A0000000032010.*9000$/);
  expect(say('00B2030C00')).toBe('6A83');
});

test('the contactless directory lists all applications at once, and is not available in the slot', () => {
  const { say } = setup();
  expect(say(selectPpse)).toBe('6A82');
  expect(say(selectPpse, true)).toMatch(/^6F.*BF0C1B61194F07A0000000031010.*9000$/);
  expect(say(selectPse, true)).toBe('6A82');
});

test('processing options come in both formats, and the records contain what a terminal needs', () => {
  const { say } = setup();
  say(selectVisa);
  expect(say(optionsWithoutPdol)).toBe('800A180008010200100101009000');
  expect(say('00B2010C00')).toContain('57134761739001010010D27122011845888890000F');
  expect(say('00B2020C00')).toBe('70105A0847617390010100105F24032712319000');
  expect(say('00B2011400')).toMatch(/5F280208405F340101/);
  const second = setup({ applications: [{ ...visa, gpo: 'format2' }] });
  second.say(selectVisa);
  expect(second.say(optionsWithoutPdol)).toBe('770E82021800940808010200100101009000');
});

test('a quick contactless application gives everything in its options, with a cryptogram, and has no records', () => {
  const { say } = setup({ applications: [{ ...visa, quick: true, gpo: 'format2', pdol: contactlessPdol }] });
  say(selectVisa, true);
  const options = `80A8000023 8321 ${'00'.repeat(33)} 00`.replaceAll(' ', '');
  const answer = say(options, true);
  const tags = parseTlv(fromHex(answer.slice(0, -4)))[0]?.children?.map((each) =>
    each.tag.toString(16).toUpperCase(),
  );
  expect(tags).toEqual(['82', '57', '5F28', '5F34', '9F36', '9F26', '9F27', '9F10']);
});

test('a command that is out of order, unknown or wrong gets the status of a real card', () => {
  const { say } = setup({ applications: [{ ...visa, pdol: [['9F02', 6]] }] });
  expect(say('00B2010C00')).toBe('6985'); // no application is selected
  expect(say('00A4040007A000000004101000')).toBe('6A82');
  say(selectVisa);
  expect(say(optionsWithoutPdol)).toBe('6985'); // the card asks for an amount
  expect(say('80A8000008830600000000010000')).toMatch(/9000$/);
  expect(say('80A8000008830600000000010000')).toBe('6985'); // GPO is allowed once in a transaction
  expect(say('80AE8000')).toBe('6D00');
  expect(say('B0A4040000')).toBe('6E00');
  expect(say('00A40400')).toBe('6A82');
  expect(say('00A4040007A0')).toBe('6700');
});

test('part of a name selects the first application and then the next', () => {
  const { say } = setup({ applications: [visa, { ...visa, aid: 'A0000000032010' }] });
  expect(say('00A4040005A00000000300')).toContain('8407A0000000031010');
  expect(say('00A4040205A00000000300')).toContain('8407A0000000032010');
  expect(say('00A4040205A00000000300')).toBe('6A82');
});

test.each(
  defaultCards.filter((each) => each.chip?.readable === 'yes').map((each) => [each.id, each] as const),
)(
  'the tray card %s as a chip is read by our own reader, both in the slot and on tap',
  async (_id, card: TestCardDefinition) => {
    const clock = new VirtualClock({ startMs: 0 });
    for (const contactless of card.contactless ? [false, true] : [false]) {
      const chip = createEmvCard(makeChipDefinition(cardSchema.parse(card)));
      const read = await readCard(
        { atr: chip.atr, contactless, transmit: async (apdu) => chip.transmit(apdu, contactless) },
        { currency: 'EUR', signal: new AbortController().signal },
        { clock, random: makeSeededRandom(1), fingerprintKey: new Uint8Array(16) },
      );
      expect(read).toMatchObject({
        expiry: card.expiry,
        country: card.country,
        brand: card.applications[0]!.brand,
        verification: card.chip!.verification,
        selectedAid: card.applications[0]!.aid,
      });
      expect(read.applications.map(({ label }) => label)).toEqual(
        card.applications.map(({ label }) => label),
      );
    }
  },
);
