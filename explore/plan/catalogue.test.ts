import { expect, test } from 'vitest';
import { faultsAt } from './catalogue.ts';

test('what host and shopper do is tried the first time that its moment comes, all else each time', () => {
  expect(faultsAt('host', 1).map(({ fault }) => fault)).toContain('decline');
  expect(faultsAt('host', 2)).toEqual([]);
  expect(faultsAt('presentCard', 1).map(({ fault }) => fault)).toContain('leaves');
  expect(faultsAt('presentCard', 2).map(({ fault }) => fault)).not.toContain('leaves');
  expect(faultsAt('presentCard', 2).map(({ fault }) => fault)).toContain('powerOff');
});
