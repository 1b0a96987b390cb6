import { effectNames } from '../../gateway/payments/core/effect-names.fixture.ts';
import { commitNames } from '../../gateway/payments/core/step.ts';
import type { Random } from '../../shared/random.ts';
import type { StepKill } from '../load/gateway-process.ts';

/** A death right before or after one of a payment's effects or commits, each as likely as the others. */
export function namedStep(random: Random): StepKill {
  const steps = [
    ...effectNames.map((name) => ({ of: 'effect' as const, name })),
    ...commitNames.map((name) => ({ of: 'commit' as const, name })),
  ];
  const { of, name } = steps[random.int(steps.length)] as (typeof steps)[number];
  const moment = random.int(2) === 0 ? 'before' : 'after';
  return { of, name, steps: 1 + random.int(3), moment, refuses: random.int(100) < 30 };
}
