import { expect, onTestFinished, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import { Receiver } from './receiver.ts';

test.each(['not JSON', 'null', '"text"'])(
  'a request with the body %j gets 400 and is not recorded',
  async (body) => {
    const { clock, inFlight } = createRuntime();
    const receiver = await Receiver.start('pos', { clock, inFlight });
    onTestFinished(() => receiver.close());
    const { status } = await fetch(receiver.url, { method: 'POST', body });
    expect(status).toBe(400);
    expect(receiver.arrivals).toEqual([]);
  },
);
