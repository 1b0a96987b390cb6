import { effectNames } from '../../gateway/payments/core/effect-names.fixture.ts';
import { commitNames } from '../../gateway/payments/core/step.ts';
import type { Random } from '../../shared/random.ts';
import type { StepKill } from '../load/gateway-process.ts';
import { chance } from './accidents.ts';

/** A death at a step of a name, or at any step, at the `moment` that is drawn then. */
export function stepDeath(random: Random, moment: () => StepKill['moment']): StepKill {
  return chance(random, 50) ? namedStep(random) : anyStep(random, moment);
}

/** Right before or after one of a payment's effects or commits, each as likely as the others. */
function namedStep(random: Random): StepKill {
  const steps = [
    ...effectNames.map((name) => ({ of: 'effect' as const, name })),
    ...commitNames.map((name) => ({ of: 'commit' as const, name })),
  ];
  const { of, name } = steps[random.int(steps.length)] as (typeof steps)[number];
  const moment = random.int(2) === 0 ? 'before' : 'after';
  return { of, name, steps: 1 + random.int(3), moment, refuses: chance(random, 30) };
}

function anyStep(random: Random, moment: () => StepKill['moment']): StepKill {
  return {
    of: chance(random, 50) ? 'effect' : 'commit',
    steps: 1 + random.int(20),
    moment: moment(),
    refuses: chance(random, 30),
  };
}
