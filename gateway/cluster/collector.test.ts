import { expect, test } from 'vitest';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { type CollectedPage, CrossGatewayCollector } from './collector.ts';
import { noHints } from './hints/hints.ts';

/**
 * Opens a collector with one other gateway. The other gateway gives these `answers` one after the other. After the last
 * answer it has no more entries.
 */
function collecting(answers: (after: number) => Omit<CollectedPage, 'run' | 'after'>[]) {
  const seen: string[] = [];
  const clock = new VirtualClock({ startMs: 0 });
  const onlooker = { looks: false };
  const collector = new CrossGatewayCollector({
    hints: {
      ...noHints,
      gather: async (_subject, asked, _limits, each) => {
        const after = (asked as { after: Record<string, number> }).after.one ?? 0;
        for (const answer of answers(after)) each({ ...answer, run: 'one', after });
      },
    },
    clock,
    subject: 'journal',
    take: ({ items }) => void seen.push(...items.map(String)),
    done: () => void seen.push('|'),
    wanted: () => onlooker.looks,
  });
  return { collector, seen, clock, onlooker };
}

test('the collector handles what arrived in rounds, even if more arrives all the time', async () => {
  const { collector, seen } = collecting((after) => [{ items: [after], last: after + 1, more: true }]);
  await collector.now();
  expect(seen.slice(0, 6)).toEqual(['0', '|', '1', '|', '2', '|']);
});

test('an answer that arrives twice counts once, and an invalid answer does not count', async () => {
  const page = { items: ['a', 'b'], last: 2, more: false };
  const { collector, seen } = collecting((after) =>
    after === 0 ? [page, page, { ...page, last: 'x' as never }] : [{ items: [], last: after, more: false }],
  );
  await collector.now();
  await collector.now();
  expect(seen).toEqual(['a', 'b', '|', '|']);
});

test('the collector does not wait for a gateway that has said that it ends', async () => {
  const waited: number[] = [];
  const clock = new VirtualClock({ startMs: 0 });
  const collector = new CrossGatewayCollector({
    hints: {
      ...noHints,
      gather: async (_subject, _asked, { timeoutMs }, each) => {
        waited.push(timeoutMs);
        if (waited.length === 1) each({ run: 'one', after: 0, last: 0, more: false, items: [] });
      },
    },
    clock,
    subject: 'journal',
    take() {},
    done() {},
    wanted: () => false,
  });
  await collector.now();
  await collector.now();
  collector.left('one');
  await collector.now();
  expect(waited).toEqual([300, 1_000, 300]);
});

test('the collector asks the other gateways repeatedly while somebody watches, and never after that', async () => {
  const { collector, seen, clock, onlooker } = collecting((after) => [
    { items: [], last: after, more: false },
  ]);
  onlooker.looks = true;
  await collector.now();
  await clock.advance(100);
  expect(seen).toEqual(['|', '|']);
  onlooker.looks = false;
  await clock.advance(1_000);
  expect(seen).toEqual(['|', '|']);
});
