import type { Random } from '../../../shared/random.ts';
import type { SeveralGateways } from '../../load/several-gateways.ts';
import { type Accident, chance, deathOfTerminal, type Kill } from '../accidents.ts';
import { stepDeath } from '../step-deaths.ts';

/** What goes wrong with several gateways, beside what dies. */
export type AccidentOfMany =
  | Kill
  /** Stopped and continued: a short time, or long enough to lose what it owned. */
  | (Accident & { what: 'gateway paused'; nth: number })
  | (Accident & {
      what: 'NATS killed' | 'NATS paused' | 'PostgreSQL restarted' | 'links cut' | 'links reset';
    });

export const loadMs = 2_000;
/** The other gateways have given up one that is silent for so long. */
const longPauseMs = 6_500;

/** For one round: at least one. With links of their own, terminals also dial while a gateway stands still. */
export function chooseAccidents(
  { gateways, terminals }: SeveralGateways,
  random: Random,
  ownLinks: boolean,
): AccidentOfMany[] {
  const time = () => ({ atMs: random.int(loadMs), downMs: random.int(800) });
  const often = (percent: number) => chance(random, percent);
  const killed = () => deathOfGateway(random, gateways.length, time());
  const chosen: AccidentOfMany[] = [];
  if (often(50)) chosen.push(killed());
  if (often(30)) chosen.push(killed());
  if (often(25)) chosen.push(pauseOfGateway(random, gateways.length, time()));
  if (often(20)) chosen.push({ what: often(50) ? 'NATS killed' : 'NATS paused', ...time() });
  if (often(15)) chosen.push({ what: 'PostgreSQL restarted', ...time() });
  if (often(30)) chosen.push({ what: 'links cut', ...time() });
  if (ownLinks) chosen.push(...staleDials(random, gateways.length));
  for (const nth of terminals.keys())
    if (often(10)) chosen.push({ ...deathOfTerminal(random, nth), failedStartMs: undefined, ...time() });
  return chosen.length > 0 ? chosen : [killed()];
}

type Time = Pick<Accident, 'atMs' | 'downMs'>;

function deathOfGateway(random: Random, gateways: number, time: Time): Kill {
  const moment = () => (chance(random, 40) ? 'before' : 'after');
  return {
    what: 'gateway killed',
    nth: random.int(gateways),
    atSteps: chance(random, 60) ? [stepDeath(random, moment)] : [],
    failedStartMs: chance(random, 20) ? random.int(800) : undefined,
    ...time,
  };
}

function pauseOfGateway(random: Random, gateways: number, { atMs, downMs }: Time): AccidentOfMany {
  const isLong = chance(random, 60);
  return {
    what: 'gateway paused',
    nth: random.int(gateways),
    atMs,
    downMs: isLong ? longPauseMs + random.int(2_000) : downMs,
  };
}

/** A gateway stands still while terminals dial it, and what is between them resets the connections meanwhile, again and again. */
function staleDials(random: Random, gateways: number): AccidentOfMany[] {
  const nth = random.int(gateways);
  const downMs = 400 + random.int(chance(random, 30) ? longPauseMs : 2_000);
  const atMs = random.int(loadMs / 2);
  const resets = Array.from({ length: 1 + random.int(4) }, (): AccidentOfMany => {
    const within = random.int(Math.min(downMs, loadMs));
    return { what: 'links reset', atMs: atMs + within, downMs: 0 };
  });
  return [{ what: 'gateway paused', nth, atMs, downMs }, ...resets];
}
