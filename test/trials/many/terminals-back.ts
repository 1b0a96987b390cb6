import { delay, systemClock } from '../../../shared/clock.ts';
import type { Violation } from '../../load/check.ts';
import { callControl } from '../../load/control.ts';
import type { World } from '../../load/world.ts';

/**
 * The maximum time for which a terminal may be away after all accidents are over. If a terminal is away for longer,
 * the gateway has signed it out and the terminal does not know that.
 */
const mostAwayMs = 10_000;

interface SeenTerminal {
  poiId: string;
  connected: boolean;
}

/** Checks that every running terminal is connected again within this time. */
export async function checkTerminalsReconnected(
  world: World,
): Promise<{ violations: Violation[]; awayMs: number }> {
  const healedAt = performance.now();
  for (;;) {
    const away = await terminalsAway(world);
    const awayMs = performance.now() - healedAt;
    if (away.length === 0) return { violations: [], awayMs };
    if (awayMs > mostAwayMs) {
      const rule = `no terminal is away for more than ${mostAwayMs / 1000} s after healing`;
      return { violations: [{ rule, ids: away, detail: `away for ${awayMs.toFixed(0)} ms` }], awayMs };
    }
    await delay(systemClock, 50);
  }
}

async function terminalsAway(world: World): Promise<string[]> {
  const known = await callControl<SeenTerminal[] | object>(world, '/control/terminals', undefined, [503]);
  const seen = Array.isArray(known) ? known : []; // at present, no gateway knows which terminals are connected
  const connected = new Set(seen.filter((each) => each.connected).map(({ poiId }) => poiId));
  return world.terminalProcesses.running.map(({ poiId }) => poiId).filter((poiId) => !connected.has(poiId));
}
