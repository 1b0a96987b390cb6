import { expect, test } from 'vitest';
import { createEmvCard } from '../emulators/emv-card.ts';
import { fromHex, toHex } from '../hex.ts';
import { CardError } from '../reader-driver.ts';
import { transmitT0 } from './t0.ts';

/** Makes a card that gives the `answers` one after the other, and records what was sent to the card. */
function setup(...answers: string[]) {
  const sent: string[] = [];
  const exchange = async (tpdu: Uint8Array) => {
    sent.push(toHex(tpdu));
    return fromHex(answers.length > 1 ? answers.shift()! : answers[0]!);
  };
  return { sent, transmit: async (apdu: string) => toHex(await transmitT0(fromHex(apdu), exchange)) };
}

test('Le of a command with data is omitted, and after 61xx the rest is fetched', async () => {
  const { sent, transmit } = setup('6103', 'AABBCC9000');
  expect(await transmit('00A4040002AABB00')).toBe('AABBCC9000');
  expect(sent).toEqual(['00A4040002AABB', '00C0000003']);
});

test('6Cxx repeats the command with the right length', async () => {
  const { sent, transmit } = setup('6C02', 'AABB9000');
  expect(await transmit('00B2010C00')).toBe('AABB9000');
  expect(sent).toEqual(['00B2010C00', '00B2010C02']);
});

test('GET RESPONSE may also be answered with the right length, and the parts of the answer are joined', async () => {
  const { sent, transmit } = setup('6100', '6C02', 'AABB6101', 'CC9000');
  expect(await transmit('80A8000002830000')).toBe('AABBCC9000');
  expect(sent).toEqual(['80A80000028300', '00C0000000', '00C0000002', '00C0000001']);
});

test('a command of four bytes gets a fifth byte', async () => {
  const { sent, transmit } = setup('9000');
  await transmit('00A40400');
  expect(sent).toEqual(['00A4040000']);
});

test('a card that never finishes or says nothing is a bad read', async () => {
  await expect(setup('6110').transmit('00B2010C00')).rejects.toThrow(CardError);
  await expect(setup('90').transmit('00B2010C00')).rejects.toThrow(CardError);
});

test('an extended or malformed command is refused before it is sent', async () => {
  const { sent, transmit } = setup('9000');
  await expect(transmit('00A4040000000100')).rejects.toThrow(RangeError);
  await expect(transmit('00A4040005AABB')).rejects.toThrow(RangeError);
  expect(sent).toEqual([]);
});

test('an emulated chip gives the same answer over T=0 as directly', async () => {
  const chip = () =>
    createEmvCard({
      id: 'visa',
      applications: [
        {
          aid: 'A0000000031010',
          label: 'VISA CREDIT',
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
  const [whole, inParts] = [chip(), chip()];
  const commands = [
    '00A404000E315041592E5359532E444446303100',
    '00B2010C00',
    '00B2020C00',
    '00A4040007A000000003101000',
    '80A8000002830000',
    '00B2010C00',
    '00B2020C00',
    '00B2030C00',
    '80CA9F3600',
  ];
  for (const command of commands) {
    const answer = await transmitT0(fromHex(command), async (tpdu) => inParts.transmitT0(tpdu));
    expect(toHex(answer)).toBe(toHex(whole.transmit(fromHex(command))));
  }
});
