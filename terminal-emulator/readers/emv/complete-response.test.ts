import { expect, test } from 'vitest';
import { fromHex, toHex } from '../hex.ts';
import { fetchCompleteResponse } from './complete-response.ts';

async function converse(command: string, answers: Record<string, string>) {
  const sent: string[] = [];
  const whole = await fetchCompleteResponse(async (apdu) => {
    sent.push(toHex(apdu));
    return fromHex(answers[toHex(apdu)] ?? '6F00');
  }, fromHex(command));
  return { sent, whole: toHex(whole) };
}

test('if an answer says that more data are available, they are fetched', async () => {
  const { sent, whole } = await converse('00A4040007A0000000031010 00', {
    '00A4040007A000000003101000': '6105',
    '00C0000005': '6F03840101 6102',
    '00C0000002': 'AABB 9000',
  });
  expect(sent).toHaveLength(3);
  expect(whole).toBe('6F03840101AABB9000');
});

test('a command of the wrong length is sent again with the right one', async () => {
  const { sent, whole } = await converse('00B2010C00', { '00B2010C00': '6C02', '00B2010C02': '70009000' });
  expect(sent).toEqual(['00B2010C00', '00B2010C02']);
  expect(whole).toBe('70009000');
});

test('a card that always names another length, or always has more data, is given up', async () => {
  const nagging = await converse('00B2010C00', { '00B2010C00': '6C02', '00B2010C02': '6C00' });
  expect(nagging.whole).toBe('6C00');
  await expect(
    fetchCompleteResponse(async () => fromHex('6110'), fromHex('00B2010C00')),
  ).rejects.toMatchObject({
    code: 'BAD_READ',
  });
});

test('an answer without a status word is a bad read', async () => {
  await expect(fetchCompleteResponse(async () => fromHex('90'), fromHex('00B2010C00'))).rejects.toMatchObject(
    {
      code: 'BAD_READ',
    },
  );
});
