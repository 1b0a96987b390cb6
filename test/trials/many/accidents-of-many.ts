import { delay, systemClock } from '../../../shared/clock.ts';
import type { Random } from '../../../shared/random.ts';
import type { SeveralGateways } from '../../load/several-gateways.ts';
import {
  type Accident,
  drawGatewayDeath,
  drawTerminalDeath,
  drawTimes,
  killAndRestart,
  type ProcessKill,
  roundLoadMs,
} from '../accidents.ts';
import { drawChance } from '../step-kills.ts';
import type { Tally } from '../tally.ts';

/** The gateway is paused and then continued. The pause is short, or so long that the gateway has lost what it owned. */
interface Pause extends Accident {
  what: 'gateway paused';
  nth: number;
}

interface Breakdown extends Accident {
  what: 'NATS killed' | 'NATS paused' | 'PostgreSQL restarted' | 'links cut' | 'links reset';
}

/** The accidents of several gateways. */
export type SeveralGatewaysAccident = ProcessKill | Pause | Breakdown;

/**
 * If a gateway has been silent for `givenUpMs`, the other gateways give it up as dead. `longPauseMs` is longer than
 * `givenUpMs`.
 */
const givenUpMs = 5_000;
const longPauseMs = 6_500;

/**
 * Draws at least one accident. If the terminals have links of their own, one of the accidents may be a paused
 * gateway that terminals dial.
 */
export function chooseAccidents(
  { gateways, terminals }: SeveralGateways,
  random: Random,
  ownLinks: boolean,
): SeveralGatewaysAccident[] {
  const often = (percent: number) => drawChance(random, percent);
  const any = () => random.int(gateways.length);
  const broken = (what: Breakdown['what']) => ({ what, ...drawTimes(random) });
  const chosen: SeveralGatewaysAccident[] = [];
  if (often(50)) chosen.push(drawGatewayDeath(random, any()));
  if (often(30)) chosen.push(drawGatewayDeath(random, any()));
  if (often(25)) chosen.push(pause(random, any()));
  if (often(20)) chosen.push(broken(often(50) ? 'NATS killed' : 'NATS paused'));
  if (often(15)) chosen.push(broken('PostgreSQL restarted'));
  if (often(30)) chosen.push(broken('links cut'));
  if (ownLinks) chosen.push(...staleDials(random, any()));
  for (const nth of terminals.keys()) if (often(10)) chosen.push(drawTerminalDeath(random, nth));
  return chosen.length > 0 ? chosen : [drawGatewayDeath(random, any())];
}

function pause(random: Random, nth: number): Pause {
  const long = drawChance(random, 60) ? { downMs: longPauseMs + random.int(2_000) } : {};
  return { what: 'gateway paused', nth, ...drawTimes(random), ...long };
}

/** Pauses a gateway while terminals dial it. Meanwhile the balancer resets the connections again and again. */
function staleDials(random: Random, nth: number): SeveralGatewaysAccident[] {
  const downMs = 400 + random.int(drawChance(random, 30) ? longPauseMs : 2_000);
  const atMs = random.int(roundLoadMs / 2);
  const resets = Array.from({ length: 1 + random.int(4) }, (): Breakdown => {
    const within = random.int(Math.min(downMs, roundLoadMs));
    return { what: 'links reset', atMs: atMs + within, downMs: 0 };
  });
  return [{ what: 'gateway paused', nth, atMs, downMs }, ...resets];
}

/** Makes one accident happen, and ends it. */
export async function runAccident(
  world: SeveralGateways,
  accident: SeveralGatewaysAccident,
  tally: Tally,
): Promise<void> {
  const { what, downMs } = accident;
  if (what === 'gateway killed' || what === 'terminal killed') return killAndRestart(world, accident, tally);
  tally.count('accidents', what);
  const meanwhile = () => delay(systemClock, downMs);
  switch (what) {
    case 'gateway paused': {
      tally.count('accidents', 'of them until given up', downMs > givenUpMs);
      const gateway = world.gateways[accident.nth];
      return gateway?.up ? world.withPaused(gateway, meanwhile) : undefined;
    }
    case 'NATS killed':
      await world.nats.kill();
      await meanwhile();
      return world.nats.run();
    case 'NATS paused':
      world.nats.pause();
      await meanwhile();
      return world.nats.goOn();
    case 'PostgreSQL restarted':
      return world.withoutDatabase(meanwhile);
    case 'links cut':
      return world.balancer.cutLinks();
    case 'links reset':
      return world.balancer.resetLinks();
  }
}
