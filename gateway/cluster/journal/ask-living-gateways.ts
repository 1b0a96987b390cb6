import type { GatewayMembership } from '../gateways.ts';
import type { HintBus } from '../hints/hints.ts';

/** The other gateways, and the bus on which they answer. */
export interface LivingGateways {
  readonly hints: HintBus;
  readonly gateways: Pick<GatewayMembership, 'others'>;
}

/**
 * Asks the other gateways, and passes each answer to `each`. Resolves at the time limit, or as soon as every living
 * gateway has answered.
 */
export async function askLivingGateways(
  { hints, gateways }: LivingGateways,
  subject: string,
  data: unknown,
  timeoutMs: number,
  each: (answer: unknown) => void,
): Promise<void> {
  let missing = await gateways.others().then(
    (others) => others.length,
    () => Number.POSITIVE_INFINITY,
  );
  if (missing === 0) return;
  await new Promise<void>((resolve) => {
    const answered = (answer: unknown) => {
      each(answer);
      if (--missing === 0) resolve();
    };
    void hints.gather(subject, data, { timeoutMs }, answered).then(resolve);
  });
}
