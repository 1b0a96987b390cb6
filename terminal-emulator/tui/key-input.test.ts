import { PassThrough } from 'node:stream';
import { setImmediate as turnEnd } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { StallingClock } from '../readers/stalling-clock.fixture.ts';
import { KeyInput } from './key-input.ts';

function setup() {
  const clock = new StallingClock();
  const keyboard = new PassThrough();
  const keys: string[] = [];
  const swipes: string[] = [];
  const wedge = { prefix: '', suffix: '' };
  const swipe = (tracks: string) => void swipes.push(tracks);
  const input = new KeyInput(keyboard, { clock, wedge, swipe, takesNumber: () => false });
  onTestFinished(() => input.close());
  input.on('data', (key) => keys.push(String(key)));
  /**
   * Lets enough time pass that the next key cannot belong to the same swipe as the last key. The program is slow:
   * this wait ends before the program reads the keys that were typed during the wait.
   */
  const wait = () => {
    for (const ms of [14, 14, 14, 14, 27]) clock.stall(ms);
  };
  return { keyboard, keys, swipes, wait };
}

test('a character that is still unread when the wait for it ends belongs to its swipe (B220)', async () => {
  const { keyboard, keys, swipes, wait } = setup();
  keyboard.write('ñ4');
  wait();
  keyboard.write('761739001010010¿27122011845888890000_');
  await turnEnd();
  wait();
  await turnEnd();
  expect(keys).toEqual([]);
  expect(swipes).toEqual([]); // a swipe ends only with an Enter or with a longer pause, so this swipe has not ended
});

test('a key without a successor is passed on once the keyboard has been read', async () => {
  const { keyboard, keys, wait } = setup();
  keyboard.write('4');
  wait();
  expect(keys).toEqual([]);
  await turnEnd();
  expect(keys).toEqual(['4']);
});
