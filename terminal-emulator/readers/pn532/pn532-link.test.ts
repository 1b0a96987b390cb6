import { expect, test } from 'vitest';
import { VirtualClock } from '../../../shared/virtual-clock.ts';
import { fromHex, toHex } from '../hex.ts';
import { TransportClosedError } from '../reader-driver.ts';
import { StallingClock } from '../stalling-clock.fixture.ts';
import { createMemoryLine } from '../transport/memory-transport.fixture.ts';
import { Pn532Link } from './pn532-link.ts';

const ack = '0000FF00FF00';
const nack = '0000FFFF0000';
const getFirmware = '0000FF02FED4022A00';
const firmware = '0000FF06FAD50332010607E800';

/** Makes a link, and a chip whose bytes the test writes. `texts` lists the frames that the link sent. */
function setup() {
  const clock = new VirtualClock({ startMs: 0 });
  const [host, chip] = createMemoryLine();
  const texts: string[] = [];
  chip.onData((bytes) => texts.push(toHex(bytes)));
  const link = new Pn532Link(host, clock);
  const outcome: { data?: string; error?: unknown } = {};
  const command = (options = {}, code = 0x02) =>
    link.command(code, [], options).then(
      (bytes) => Object.assign(outcome, { data: toHex(bytes) }),
      (error) => Object.assign(outcome, { error }),
    );
  const answer = async (hex: string) => {
    await chip.write(fromHex(hex));
    await clock.advance(1);
  };
  return { clock, host, chip, texts, link, command, answer, outcome };
}

test('a command ends with its acknowledgement and its response', async () => {
  const { command, answer, texts, outcome } = setup();
  const done = command();
  await answer(ack);
  expect(outcome).toEqual({});
  await answer(firmware);
  await done;
  expect(texts).toEqual([getFirmware]);
  expect(outcome.data).toBe('32010607');
});

test('an acknowledgement and a response are read the same in one piece or byte by byte', async () => {
  const glued = setup();
  const first = glued.command();
  await glued.answer(ack + firmware);
  await first;
  expect(glued.outcome.data).toBe('32010607');
  const split = setup();
  const second = split.command();
  for (const byte of fromHex(ack + firmware)) await split.answer(toHex(Uint8Array.of(byte)));
  await second;
  expect(split.outcome.data).toBe('32010607');
});

test('a command that is not acknowledged is sent three times, and then given up', async () => {
  const { clock, command, texts, outcome } = setup();
  const done = command();
  await clock.advance(250);
  expect(texts).toHaveLength(3);
  await clock.advance(100);
  await done;
  expect(texts).toEqual([getFirmware, getFirmware, getFirmware]);
  expect(outcome.error).toMatchObject({ code: 'NO_ACK' });
});

test('the second answer to a command that was sent twice is not taken for the answer to the next', async () => {
  const { clock, command, answer, texts, outcome } = setup();
  const first = command();
  await clock.advance(110);
  expect(texts).toEqual([getFirmware, getFirmware]);
  await answer(ack + firmware);
  await first;
  expect(outcome.data).toBe('32010607');
  const second = command();
  await answer(ack + firmware.replace('010607E8', '010507E9'));
  await clock.advance(150);
  expect(texts).toEqual([getFirmware, getFirmware, ack, getFirmware]);
  await answer(ack + firmware.replace('010607E8', '010407EA'));
  await second;
  expect(outcome.data).toBe('32010407');
});

test('a late acknowledgement and answer to a command that was given up are not taken for those of the next', async () => {
  const { clock, command, answer, texts, outcome } = setup();
  const first = command({ repeatable: false });
  await clock.advance(110);
  await first;
  expect(outcome.error).toMatchObject({ code: 'NO_ACK' });
  const second = command({ repeatable: false });
  await clock.advance(90);
  await answer(ack);
  await clock.advance(90);
  await answer(firmware);
  expect(texts).toEqual([getFirmware, ack]);
  await clock.advance(101);
  expect(texts).toEqual([getFirmware, ack, getFirmware]);
  await answer(ack + firmware.replace('010607E8', '010407EA'));
  await second;
  expect(outcome.data).toBe('32010407');
});

test('waiting for silence on the line ends if it is aborted or the line closes', async () => {
  for (const end of ['abort', 'close'] as const) {
    const { clock, chip, command, texts, outcome } = setup();
    void command({ repeatable: false });
    await clock.advance(110);
    const abort = new AbortController();
    const second = command({ signal: abort.signal });
    await clock.advance(50);
    if (end === 'abort') abort.abort(new Error('disarmed'));
    else await chip.close();
    await second;
    expect(outcome.error).toMatchObject({ message: end === 'abort' ? 'disarmed' : 'the other end closed' });
    expect(texts).toEqual([getFirmware, ack]);
    expect(clock.nextDue()).toBeUndefined();
  }
});

test('a command that must not be executed twice is not sent twice', async () => {
  const { clock, command, texts, outcome } = setup();
  const done = command({ repeatable: false });
  await clock.advance(150);
  await done;
  expect(texts).toEqual([getFirmware]);
  expect(outcome.error).toMatchObject({ code: 'NO_ACK' });
});

test('a chip that received a damaged command gets it again, even if it must not be executed twice', async () => {
  const { command, answer, texts, outcome } = setup();
  const done = command({ repeatable: false });
  await answer(nack);
  await answer(ack + firmware);
  await done;
  expect(texts).toEqual([getFirmware, getFirmware]);
  expect(outcome.data).toBe('32010607');
});

test('a damaged response is asked for again', async () => {
  const { command, answer, texts, outcome } = setup();
  const done = command();
  await answer(`${ack}0000FF06FAD50332010607E900`);
  await answer(firmware);
  await done;
  expect(texts).toEqual([getFirmware, nack]);
  expect(outcome.data).toBe('32010607');
});

test('a response that stays damaged ends the command', async () => {
  const { command, answer, outcome } = setup();
  const done = command();
  await answer(ack);
  for (let time = 0; time < 3; time++) await answer('0000FF06FAD50332010607E900');
  await done;
  expect(outcome.error).toMatchObject({ code: 'DAMAGED' });
});

test('a command that is not answered in time is stopped', async () => {
  const { clock, command, answer, texts, outcome } = setup();
  const done = command({ timeoutMs: 5_000 });
  await answer(ack);
  await clock.advance(4_990);
  expect(outcome).toEqual({});
  await clock.advance(20);
  await done;
  expect(texts).toEqual([getFirmware, ack]);
  expect(outcome.error).toMatchObject({ code: 'NO_RESPONSE' });
});

test('an aborted command is stopped, and its late reply is not taken for the next one', async () => {
  const { command, answer, texts, outcome, clock } = setup();
  const abort = new AbortController();
  const first = command({ signal: abort.signal });
  await answer(ack);
  abort.abort(new Error('disarmed'));
  await first;
  expect(outcome.error).toMatchObject({ message: 'disarmed' });
  await clock.advance(1);
  expect(texts).toEqual([getFirmware, ack]);
  const second = command();
  await answer('0000FF06FAD503FFFFFFFF2C00');
  expect(outcome.data).toBeUndefined();
  await answer(ack + firmware);
  await second;
  expect(outcome.data).toBe('32010607');
});

test('the application error frame and a reply to another command are distinguished', async () => {
  const { command, answer, outcome } = setup();
  const done = command();
  await answer(`${ack}0000FF02FED5151600`);
  expect(outcome).toEqual({});
  await answer('0000FF01FF7F8100');
  await done;
  expect(outcome.error).toMatchObject({ code: 'REFUSED' });
});

test('a line that closes ends the command, and refuses the next', async () => {
  const { chip, command, link, outcome, clock } = setup();
  const done = command();
  await chip.close();
  await done;
  expect(outcome.error).toBeInstanceOf(TransportClosedError);
  await expect(link.command(0x02, [])).rejects.toBeInstanceOf(TransportClosedError);
  expect(clock.nextDue()).toBeUndefined();
});

test('an answer that arrived while the program was held up is accepted, however long that was', async () => {
  const clock = new StallingClock();
  const [host, chip] = createMemoryLine();
  const texts: string[] = [];
  chip.onData((bytes) => texts.push(toHex(bytes)));
  const link = new Pn532Link(host, clock);
  const acknowledged = link.command(0x02, [], { repeatable: false });
  clock.stall(3_000);
  await chip.write(fromHex(ack + firmware));
  expect(toHex(await acknowledged)).toBe('32010607');
  const answered = link.command(0x02, [], { repeatable: false });
  await chip.write(fromHex(ack));
  await Promise.resolve();
  clock.stall(3_000);
  await chip.write(fromHex(firmware));
  expect(toHex(await answered)).toBe('32010607');
  expect(texts).toEqual([getFirmware, getFirmware]);
  expect(clock.waiting).toBe(false);
});
