import { expect, test } from 'vitest';
import { InFlightCounter } from './in-flight.ts';

test('settled waits for every piece of work begun', async () => {
  const inFlight = new InFlightCounter();
  const done = inFlight.begin();
  let settled = false;
  const settling = inFlight.settled().then(() => {
    settled = true;
  });
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(settled).toBe(false);
  done();
  await settling;
  expect(settled).toBe(true);
});

test('ending a piece of work twice counts as once', () => {
  const inFlight = new InFlightCounter();
  const first = inFlight.begin();
  inFlight.begin();
  first();
  first();
  expect(inFlight.idle).toBe(false);
});

test('a frame is in flight from one end of a link to the other', () => {
  const inFlight = new InFlightCounter();
  inFlight.opened('a');
  inFlight.opened('a');
  inFlight.sent('a');
  expect(inFlight.idle).toBe(false);
  inFlight.arrived('a');
  expect(inFlight.idle).toBe(true);
});

test('closing one end is in flight until the other end learns of it, and lost frames stop counting', () => {
  const inFlight = new InFlightCounter();
  inFlight.opened('a');
  inFlight.opened('a');
  inFlight.sent('a');
  inFlight.sent('a');
  inFlight.closed('a');
  expect(inFlight.idle).toBe(false);
  inFlight.closed('a');
  expect(inFlight.idle).toBe(true);
});

test('a link whose other end is not counted closes cleanly', () => {
  const inFlight = new InFlightCounter();
  inFlight.opened('a');
  inFlight.sent('a');
  inFlight.closed('a');
  expect(inFlight.idle).toBe(true);
});

test('frames of a link that was not opened do not count', () => {
  const inFlight = new InFlightCounter();
  inFlight.sent('ghost');
  inFlight.arrived('ghost');
  inFlight.closed('ghost');
  expect(inFlight.idle).toBe(true);
});
