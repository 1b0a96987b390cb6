import { expect, test } from 'vitest';
import { ProcessGroupWatcher } from './process-group.ts';

/**
 * Makes a process group for tests. Each time the watcher looks at the group, it sees the next element of `looks`:
 * whether the group is runnable, and how much processor time the group has used.
 */
function seen(...looks: readonly (readonly [boolean, number])[]) {
  const left = [...looks];
  const group = new ProcessGroupWatcher(7, () => {
    const [isRunnable, usedMs] = left.shift() ?? [false, 0];
    return { isRunnable, usedMs };
  });
  return { group, acts: () => looks.map(() => group.isActing()) };
}

test('a process group counts as active while it could run, and once more after it has computed (B390)', () => {
  const { acts } = seen([false, 200], [true, 200], [false, 210], [false, 210]);
  expect(acts()).toEqual([false, true, true, false]);
});

test('a process group that computes for two seconds without a request counts as waiting, until it asks (B390)', () => {
  const { group } = seen([true, 500], [true, 2_500], [true, 2_510], [true, 2_520]);
  expect([group.isActing(), group.isActing(), group.isActing()]).toEqual([true, true, false]);
  group.asked();
  expect(group.isActing()).toBe(true);
});
