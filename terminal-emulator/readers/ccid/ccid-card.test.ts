import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { VirtualClock } from '../../../shared/virtual-clock.ts';
import { makeAtr } from '../emulators/emv-card-answers.ts';
import { fromHex, toHex } from '../hex.ts';
import { CardError } from '../reader-driver.ts';
import { StallingClock } from '../stalling-clock.fixture.ts';
import { createMemoryLine } from '../transport/memory-transport.fixture.ts';
import { powerOnCard } from './ccid-card.ts';
import { CcidLink } from './ccid-link.ts';
import { asCcidResponse, ccidCommandTypes, decodeCcid, encodeCcid } from './ccid-message.ts';
import { gemPcFraming } from './gempc-framing.ts';

/** A scripted reader's answer to one command: data, or the error with which the command fails. */
type Answer = string | { fails: number } | 'silence';

/**
 * Makes a link to a reader, and records the commands. The function `answer` gives the reader's answer to each command.
 */
function setup(answer: (type: number, data: string, nth: number) => Answer) {
  const clock = new VirtualClock({ startMs: 0 });
  const [near, far] = createMemoryLine();
  const asked: string[] = [];
  const decoder = gemPcFraming.createDecoder();
  far.onData((bytes) => {
    for (const event of decoder.feed(bytes)) {
      const command = event.kind === 'message' ? decodeCcid(event.bytes) : undefined;
      if (!command) continue;
      const data = toHex(command.data);
      asked.push(`${command.type.toString(16)} ${data}`.trim());
      const said = answer(command.type, data, asked.length - 1);
      if (said === 'silence') continue;
      const failed = typeof said === 'object';
      const reply = encodeCcid({
        ...command,
        type: 0x80,
        parameters: [failed ? 0x40 : 0x00, failed ? said.fails : 0x00, 0x00],
        data: failed ? new Uint8Array() : fromHex(said),
      });
      void far.write(gemPcFraming.wrap(reply));
    }
  });
  const link = new CcidLink(near, gemPcFraming, clock);
  return { clock, link, asked, far, signal: new AbortController().signal };
}

test('an abort signal keeps no listener of commands that are over', async () => {
  const { link, signal } = setup(() => '');
  for (let count = 0; count < 3; count++)
    await link.command(ccidCommandTypes.getSlotStatus, { timeoutMs: 100, signal });
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

const { iccPowerOn, xfrBlock } = ccidCommandTypes;
const fastAtr = '3B1095';

test('if a card offers a higher speed and agrees to it, the reader is set to it', async () => {
  const { link, asked, signal } = setup((type, data) => {
    if (type === iccPowerOn) return fastAtr;
    return type === xfrBlock ? data : '';
  });
  const channel = await powerOnCard(link, signal);
  expect(toHex(channel.atr)).toBe(fastAtr);
  expect(asked).toEqual(['62', '6f FF10957A', '61 9500000A00']);
});

test('a card that refuses the speed is powered up again and stays at the default', async () => {
  const { link, asked, signal } = setup((type) => {
    if (type === iccPowerOn) return fastAtr;
    return type === xfrBlock ? { fails: 0xfe } : '';
  });
  await powerOnCard(link, signal);
  expect(asked).toEqual(['62', '6f FF10957A', '63', '62', '61 1100000A00']);
});

test('no speed is negotiated with an ordinary card', async () => {
  const { link, asked, signal } = setup((type) => (type === iccPowerOn ? '3B6500002063CB6A00' : ''));
  await powerOnCard(link, signal);
  expect(asked).toEqual(['62', '61 1100000A00']);
});

test('a T=1 card receives our block size, and the reader receives the waiting times', async () => {
  const atr = toHex(makeAtr('T=1'));
  const { link, asked, signal } = setup((type) => {
    if (type === iccPowerOn) return atr;
    return type === xfrBlock ? '00E101FE1E' : '';
  });
  await powerOnCard(link, signal);
  expect(asked).toEqual(['62', '61 1110004500FE00', '6f 00C101FE3E']);
});

test('a card that needs 3 V gets it after 5 V failed, and a mute card is a bad read', async () => {
  const low = setup((type, _data, nth) => {
    if (type !== iccPowerOn) return '';
    return nth === 0 ? { fails: 0xfe } : '3B00';
  });
  await powerOnCard(low.link, low.signal);
  expect(low.asked).toEqual(['62', '62', '61 1100000A00']);
  const mute = setup(() => ({ fails: 0xfe }));
  await expect(powerOnCard(mute.link, mute.signal)).rejects.toMatchObject({ code: 'BAD_READ' });
  const nonsense = setup(() => 'FFFF');
  await expect(powerOnCard(nonsense.link, nonsense.signal)).rejects.toThrow(CardError);
});

test('a reader that is still working gets more time, and a silent reader does not', async () => {
  const { clock, link, far } = setup(() => 'silence');
  const asking = link.command(xfrBlock, { timeoutMs: 1_000 });
  const late = expect(asking).rejects.toMatchObject({ code: 'TIMEOUT' });
  let over = false;
  void asking.catch(() => {
    over = true;
  });
  for (let second = 0; second < 5; second++) {
    await clock.advance(900);
    await far.write(Uint8Array.of(0x80));
  }
  expect(over).toBe(false);
  await clock.advance(1_000);
  await late;
});

test('endless wait bytes are not waited for endlessly', async () => {
  const { clock, link, far } = setup(() => 'silence');
  const refused = expect(link.command(xfrBlock, { timeoutMs: 1_000 })).rejects.toMatchObject({
    code: 'TIMEOUT',
  });
  for (let tick = 0; tick < 80; tick++) {
    await clock.advance(500);
    await far.write(Uint8Array.of(0xff));
  }
  await refused;
  expect(clock.nextDue()).toBeUndefined();
});

test('a time extension is waited out, and a late answer is not taken for the next one', async () => {
  const { clock, link, far } = setup(() => 'silence');
  const say = (sequence: number, status: number, data: string) =>
    far.write(
      gemPcFraming.wrap(
        encodeCcid({ type: 0x80, slot: 0, sequence, parameters: [status, 1, 0], data: fromHex(data) }),
      ),
    );
  const first = link.command(xfrBlock, { timeoutMs: 1_000 });
  await clock.advance(900);
  await say(0, 0x80, '');
  await clock.advance(900);
  await say(0, 0x00, '9000');
  expect(toHex((await first).data)).toBe('9000');

  const second = expect(link.command(xfrBlock, { timeoutMs: 100 })).rejects.toMatchObject({
    code: 'TIMEOUT',
  });
  await clock.advance(100);
  await second;
  const third = link.command(xfrBlock, { timeoutMs: 1_000 });
  await clock.advance(1);
  await say(1, 0x00, '6A82');
  await say(2, 0x00, '9000');
  expect(toHex((await third).data)).toBe('9000');
});

test('a command is sent again if the reader reports an error, at most three times', async () => {
  const { clock, link, asked, far } = setup(() => 'silence');
  const refused = expect(link.command(xfrBlock, { timeoutMs: 1_000 })).rejects.toMatchObject({
    code: 'TIMEOUT',
  });
  for (let time = 0; time < 6; time++) {
    await clock.advance(10);
    await far.write(gemPcFraming.repeatRequest);
  }
  await clock.advance(1_000);
  await refused;
  expect(asked.length).toBe(4);
});

test('an echo does not count as an answer', () => {
  const echo = decodeCcid(
    encodeCcid({ type: xfrBlock, slot: 0, sequence: 0, parameters: [0, 0, 0], data: fromHex('00B2') }),
  );
  expect(echo && asCcidResponse(echo)).toBeUndefined();
});

test('an answer that arrived while the program was held up is accepted, however long that was', async () => {
  const clock = new StallingClock();
  const [near, far] = createMemoryLine();
  const link = new CcidLink(near, gemPcFraming, clock);
  const answer = gemPcFraming.wrap(
    encodeCcid({ type: 0x80, slot: 0, sequence: 0, parameters: [0, 1, 0], data: fromHex('9000') }),
  );
  const answered = link.command(xfrBlock, { timeoutMs: 1_000 });
  await Promise.resolve();
  clock.stall(3_000);
  await far.write(answer);
  expect(toHex((await answered).data)).toBe('9000');
  expect(clock.waiting).toBe(false);
});
