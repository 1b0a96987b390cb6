import { expect, test } from 'vitest';
import { sentencesByRoom } from './sentences.ts';

/** How many hard sentences a room may have. The numbers only fall: lower one after sentences were rewritten. */
const most: Record<string, number> = {
  bench: 30,
  cli: 72,
  client: 6,
  console: 86,
  explore: 102,
  gateway: 546,
  leading: 16,
  scenarios: 145,
  scripts: 21,
  shared: 338,
  stack: 30,
  'terminal-emulator': 292,
  testing: 12,
};

test.each(sentencesByRoom())(
  '$room has no more sentences that are read twice than it had',
  ({ room, hard }) => {
    const why = `write plain sentences (CONTRIBUTING.md), or find those of the room with: npm run sentences -- ${room}`;
    expect(hard.length, why).toBeLessThanOrEqual(most[room] ?? 0);
  },
);
