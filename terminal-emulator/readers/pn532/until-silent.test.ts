import { expect, test } from 'vitest';
import { VirtualClock } from '../../../shared/virtual-clock.ts';
import { TransportClosedError } from '../reader-driver.ts';
import { createMemoryLine } from '../transport/memory-transport.fixture.ts';
import { waitUntilSilent } from './until-silent.ts';

const limits = { silenceMs: 100, mostMs: 1_000 };

test('the wait for silence on a line that is closed already fails with the reason', async () => {
  const [line] = createMemoryLine();
  await line.close();
  const waiting = waitUntilSilent(line, new VirtualClock({ startMs: 0 }), limits);
  await expect(waiting).rejects.toThrow(new TransportClosedError('closed'));
});

test('a wait for silence that is aborted already does not begin', async () => {
  const [line] = createMemoryLine();
  const signal = AbortSignal.abort(new Error('the payment ended'));
  const waiting = waitUntilSilent(line, new VirtualClock({ startMs: 0 }), { ...limits, signal });
  await expect(waiting).rejects.toThrow('the payment ended');
});

test('the wait for silence on a line that is never silent ends at the limit', async () => {
  const [line, device] = createMemoryLine();
  const clock = new VirtualClock({ startMs: 0 });
  let over = false;
  const waiting = waitUntilSilent(line, clock, limits).then(() => {
    over = true;
  });
  for (let ms = 0; ms < 1_000; ms += 50) {
    expect(over).toBe(false);
    await device.write(Uint8Array.of(1));
    await clock.advance(50);
  }
  await waiting;
});
