import { expect, test } from 'vitest';
import { type MomentPlan, MomentPlans } from './moment-plans.ts';

const plan = (terminal?: string, after = 0): MomentPlan => ({
  ...{ moment: 'presentCard', action: 'cutConnection', after, times: 1 },
  ...(terminal !== undefined && { terminal }),
});

test('a plan that replaces an earlier plan is the last in the list, and takes effect last', () => {
  const plans = new MomentPlans();
  plans.set(plan('POI-1', 5));
  plans.set(plan());
  plans.set(plan('POI-1'));
  expect(plans.list()).toEqual([plan(), plan('POI-1')]);
  expect(plans.reached('presentCard', { terminal: 'POI-1' })).toEqual(plan());
  expect(plans.list()).toEqual([plan('POI-1')]);
});
