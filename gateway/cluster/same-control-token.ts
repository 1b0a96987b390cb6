import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Journal } from '../../shared/journal.ts';
import type { HintBus } from './hints/hints.ts';

const subject = 'controlToken';
const said = z.object({ gateway: z.string(), fingerprint: z.string() });
/** The time limit in ms for answers. A gateway that starts too late to answer compares the tokens itself. */
const mostMs = 1_000;

interface Parts {
  hints: HintBus;
  /** A name of the gateway that people can read. */
  name: string;
  journal: Journal;
}

/**
 * Warns if another gateway has a different control token. Behind a load balancer, some gateways would then refuse a
 * client's token. The reason is usually that PINPAD_CONTROL_TOKEN was set for some of the gateways only.
 */
export async function warnIfControlTokensDiffer(
  { hints, name, journal }: Parts,
  token: string,
): Promise<void> {
  const mine = { gateway: name, fingerprint: createHash('sha256').update(token).digest('base64url') };
  hints.subscribe(subject, () => mine);
  const others = new Set<string>();
  await hints.gather(subject, undefined, { timeoutMs: mostMs }, (answer) => {
    const { data } = said.safeParse(answer);
    if (data && data.fingerprint !== mine.fingerprint) others.add(data.gateway);
  });
  if (others.size === 0) return;
  const named = [...others].toSorted().join(', ');
  const message = `the control token of this gateway is refused by ${named} (401): set the same PINPAD_CONTROL_TOKEN for all gateways, or leave the variable out everywhere`;
  journal.add('warning', { message });
}
