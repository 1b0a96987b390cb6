import { expect, test } from 'vitest';
import { InFlightCounter } from './in-flight.ts';
import { KeyedTaskQueue, TaskQueueFullError } from './lanes.ts';

test('turns of one lane run one after the other, and turns of other lanes run meanwhile', async () => {
  const lanes = new KeyedTaskQueue(new InFlightCounter());
  const said: string[] = [];
  const first = Promise.withResolvers<void>();
  const turn = (key: string, word: string, until?: Promise<void>) =>
    lanes.turn(key, async () => {
      said.push(`${word} begins`);
      await until;
      said.push(`${word} ends`);
    });
  const all = [turn('a', 'one', first.promise), turn('a', 'two'), turn('b', 'other')];
  await all[2];
  expect(said).toEqual(['one begins', 'other begins', 'other ends']);
  first.resolve();
  await Promise.all(all);
  expect(said.slice(3)).toEqual(['one ends', 'two begins', 'two ends']);
});

test('a turn that waits for nothing is done when a free lane returns, and its effects follow', async () => {
  const lanes = new KeyedTaskQueue(new InFlightCounter());
  const said: string[] = [];
  void lanes.turn('a', () => {
    void lanes.turn('a', () => said.push('second'));
    said.push('first');
  });
  expect(said).toEqual(['first', 'second']);
});

test('a caller that waits for a turn continues before the next turn of the lane begins', async () => {
  const lanes = new KeyedTaskQueue(new InFlightCounter());
  const said: string[] = [];
  const turn = async (word: string) => {
    await lanes.turn('a', async () => said.push(`${word} begins`));
    said.push(`${word} is over`);
  };
  await Promise.all([turn('one'), turn('two'), turn('three')]);
  expect(said).toEqual([
    'one begins',
    'one is over',
    'two begins',
    'two is over',
    'three begins',
    'three is over',
  ]);
});

test('a turn that fails does not stop others, and nothing is in flight when all are over', async () => {
  const inFlight = new InFlightCounter();
  const lanes = new KeyedTaskQueue(inFlight);
  const thrown = lanes.turn('a', () => {
    throw new Error('thrown');
  });
  const rejected = lanes.turn('a', () => Promise.reject(new Error('rejected')));
  const taken = lanes.turn('a', () => 'taken');
  await expect(thrown).rejects.toThrow('thrown');
  await expect(rejected).rejects.toThrow('rejected');
  expect(await taken).toBe('taken');
  await inFlight.settled();
  expect(inFlight.idle).toBe(true);
});

test('a lane accepts only a limited number of waiting turns', async () => {
  const lanes = new KeyedTaskQueue(new InFlightCounter(), 2);
  const first = Promise.withResolvers<void>();
  const turns = [lanes.turn('a', () => first.promise), lanes.turn('a', () => {}), lanes.turn('a', () => {})];
  await expect(lanes.turn('a', () => {})).rejects.toThrow(TaskQueueFullError);
  await lanes.turn('b', () => {});
  first.resolve();
  await Promise.all(turns);
  await lanes.turn('a', () => {});
});
