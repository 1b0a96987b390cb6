import { expect, test } from 'vitest';
import { VirtualClock } from '../../../shared/virtual-clock.ts';
import { fromHex, toHex } from '../hex.ts';
import { encodeFrame, Pn532FrameParser } from '../pn532/frame.ts';
import { createMemoryLine } from '../transport/memory-transport.fixture.ts';
import { Pn532Emulator } from './pn532-emulator.ts';

/** Makes an emulated chip, and a function that gives the chip's answer to a command. */
function setup() {
  const clock = new VirtualClock({ startMs: 0 });
  const [host, device] = createMemoryLine();
  new Pn532Emulator(device, clock);
  const parser = new Pn532FrameParser();
  const answers: string[] = [];
  host.onData((bytes) => {
    for (const frame of parser.feed(bytes)) if (frame.type === 'data') answers.push(toHex(frame.data));
  });
  return async (command: string) => {
    await host.write(encodeFrame(0xd4, fromHex(command)));
    await clock.advance(0);
    return answers.pop();
  };
}

test('a register keeps what is written to it, and the others keep their values', async () => {
  const command = setup();
  expect(await command('08 6302 83 6303 04 6402 05')).toBe('09');
  expect(await command('06 6302 6303 6402 6403')).toBe('0783040500');
});
