import { expect, test } from 'vitest';
import { makeExploredSchedule } from '../../explore/report/exploration.fixture.ts';
import { ExploreProgress } from './progress.ts';

/** Tests what the window shows while an exploration runs (B388). */

function progressIn({ isTTY, pairs = false }: { isTTY: boolean; pairs?: boolean }) {
  let text = '';
  const write = (more: string) => {
    text += more;
  };
  const progress = new ExploreProgress({ isTTY, write }, { pairs });
  return { progress, text: () => text };
}

function end(progress: ExploreProgress, schedule: string, left: number) {
  progress.began(schedule);
  progress.ended(makeExploredSchedule(schedule), left);
}

test.each([true, false])(
  'the progress says once why there are more runs than planned, and how many; pairs: %s (B388)',
  (pairs) => {
    const { progress, text } = progressIn({ isTTY: false, pairs });
    progress.planned(2);
    end(progress, 'dropRequest@payment-request.1', 1);
    expect(text()).not.toContain('grows');
    end(progress, 'dropAnswer@payment-request.1', 2);
    end(progress, 'dropAnswer@payment-request.1+dropAnswer@status.1', 2);
    expect(text().match(/the number of runs grows: if a fault leads to something new/g)).toHaveLength(1);
    expect(text().includes('Pairs of faults are added too.')).toBe(pairs);
    expect(text()).toContain('  3 of 5 (2 + 3)\n');
  },
);

test('the progress counts running runs as not done, so that it is complete only after the last', () => {
  const { progress, text } = progressIn({ isTTY: true });
  progress.planned(1);
  progress.began('dropRequest@payment-request.1');
  progress.began('dropAnswer@payment-request.1');
  progress.ended(makeExploredSchedule('dropRequest@payment-request.1'), 0);
  expect(text()).toContain('1 of 2');
});

test('the bar says that a failure is repeated, which does not count as progress', () => {
  const { progress, text } = progressIn({ isTTY: true });
  progress.planned(2);
  progress.began('dropAnswer@payment-request.1');
  progress.again('dropAnswer@payment-request.1');
  progress.again('dropAnswer@payment-request.1');
  expect(text().match(/each failure is repeated three times before it is reported/g)).toHaveLength(1);
  expect(text()).toMatch(/0 of 2 {2}once more: dropAnswer@payment-request\.1$/);
});

test('a line is printed above the bar, which is drawn again below it', () => {
  const { progress, text } = progressIn({ isTTY: true });
  progress.planned(2);
  progress.line('✗ a cause');
  expect(text()).toMatch(/\r\u001b\[K {2}✗ a cause\n\r\u001b\[K {2}░+ 0 of 2 {2}$/);
});
