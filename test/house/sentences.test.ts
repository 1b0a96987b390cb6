import { expect, test } from 'vitest';
import { sentencesByRoom } from './sentences.ts';

/**
 * The maximum number of hard sentences in each room. The numbers only fall: lower one after you have rewritten
 * sentences.
 */
const most: Record<string, number> = {
  bench: 0,
  cli: 0,
  client: 0,
  console: 0,
  explore: 0,
  gateway: 0,
  leading: 0,
  scenarios: 0,
  scripts: 0,
  shared: 0,
  stack: 0,
  'terminal-emulator': 0,
  testing: 0,
};

test.each(sentencesByRoom())(
  '$room has no more sentences that must be read twice than it had',
  ({ room, hard }) => {
    const why = `write plain sentences (CONTRIBUTING.md), or find those of the room with: npm run sentences -- ${room}`;
    expect(hard.length, why).toBeLessThanOrEqual(most[room] ?? 0);
  },
);
