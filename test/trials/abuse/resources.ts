import { existsSync, readdirSync } from 'node:fs';
import { delay, systemClock } from '../../../shared/clock.ts';
import type { Violation } from '../../load/check.ts';
import type { NodeProcess } from '../../node-process.ts';

/** The resources that a process holds. */
export interface Resources {
  /** The number of open descriptors, or undefined if the system does not report it. */
  descriptors: number | undefined;
  usedMB: number;
}

/**
 * The number of additional descriptors that idle connections may hold, for example connections to webhook receivers.
 */
const fewDescriptors = 8;
/**
 * The additional memory that caches and compiled code may take. This memory is allowed, because caches and compiled
 * code do not grow with time.
 */
const someMB = 24;

export async function resourcesOf(gateway: NodeProcess<unknown>): Promise<Resources> {
  const { usedBytes } = await gateway.memory();
  const folder = `/proc/${gateway.pid}/fd`;
  return {
    descriptors: existsSync(folder) ? readdirSync(folder).length : undefined,
    usedMB: Math.round(usedBytes / 1e5) / 10,
  };
}

/**
 * Waits until the process holds roughly as much as `before`, at most for `limitMs`. Returns what the process holds
 * then, and the violations if that is too much.
 */
export async function waitUntilResourcesReleased(
  gateway: NodeProcess<unknown>,
  before: Resources,
  limitMs: number,
): Promise<{ after: Resources; violations: Violation[] }> {
  const untilMs = performance.now() + limitMs;
  for (;;) {
    const after = await resourcesOf(gateway);
    const rules: [string, boolean][] = [
      [
        'descriptors are back where they were',
        (after.descriptors ?? 0) <= (before.descriptors ?? Infinity) + fewDescriptors,
      ],
      ['memory is back where it was', after.usedMB <= before.usedMB + someMB],
    ];
    const broken = rules.filter(([, holds]) => !holds);
    if (broken.length === 0 || performance.now() > untilMs) {
      const detail = `before ${JSON.stringify(before)}, after ${JSON.stringify(after)}`;
      return { after, violations: broken.map(([rule]) => ({ rule, detail })) };
    }
    await delay(systemClock, 250);
  }
}
