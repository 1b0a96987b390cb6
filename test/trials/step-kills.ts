import { effectNames } from '../../gateway/payments/core/effect-names.fixture.ts';
import { commitNames } from '../../gateway/payments/core/step.ts';
import type { Random } from '../../shared/random.ts';
import type { StepKill } from '../load/gateway-process.ts';

export function drawChance(random: Random, percent: number): boolean {
  return random.int(100) < percent;
}

/** Draws the step at which a gateway dies: a step with a certain name, or a step with any name. */
export function stepKill(random: Random): StepKill {
  const refuses = drawChance(random, 30);
  return drawChance(random, 50) ? { ...namedStep(random), refuses } : { ...anyStep(random), refuses };
}

/**
 * Draws one of the effects or commits of payments, all with the same probability. Also draws whether the gateway
 * dies before or after that effect or commit.
 */
function namedStep(random: Random) {
  const steps = [
    ...effectNames.map((name) => ({ of: 'effect' as const, name })),
    ...commitNames.map((name) => ({ of: 'commit' as const, name })),
  ];
  const step = steps[random.int(steps.length)] as (typeof steps)[number];
  return { ...step, steps: 1 + random.int(3), moment: drawChance(random, 50) ? 'before' : 'after' } as const;
}

function anyStep(random: Random) {
  const of = drawChance(random, 50) ? 'effect' : 'commit';
  return { of, steps: 1 + random.int(20), moment: momentOf(random) } as const;
}

function momentOf(random: Random): StepKill['moment'] {
  if (drawChance(random, 5)) return 'broken';
  if (drawChance(random, 30)) return 'before';
  return drawChance(random, 30) ? 'thread' : 'after';
}
