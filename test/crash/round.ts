import { delay, systemClock } from '../../shared/clock.ts';
import type { Random } from '../../shared/random.ts';
import type { StepKill } from '../load/gateway-process.ts';
import type { Paid } from '../load/giving-back.ts';
import { type Load, loadOf } from '../load/load.ts';
import type { World } from '../load/world.ts';
import { namedStep } from './named-step.ts';

const loadMs = 1200;

/** One thing that went wrong on purpose. `comesBack` false: only after everything else has settled. */
interface Accident {
  atMs: number;
  victim: 'gateway' | number;
  downMs: number;
  comesBack: boolean;
  wiped: boolean;
  /** Killed once more, so long after it began to start. */
  failedStartMs: number | undefined;
  /** Of the gateway: killed at a step, instead of at any moment; and again when it is back. */
  atSteps: StepKill[];
  /** How often it came to those steps. */
  diedThere: number;
}

export interface Round extends Load {
  accidents: Accident[];
  /** Brings back what stayed away. */
  restore(): Promise<void>;
}

/** Load from several POS systems, and while it runs the accidents that the dice chose; over when every POS knows its outcomes and the
 * back office has done what it began. */
export async function playRound(world: World, random: Random, name: string, paid: Paid): Promise<Round> {
  const accidents = chooseAccidents(world, random);
  const [load] = await Promise.all([
    loadOf(world, random, name, { untilMs: Date.now() + loadMs, paid }),
    ...accidents.map((accident) => happen(world, accident)),
  ]);
  return {
    ...load,
    accidents,
    restore: async () => {
      for (const { victim, comesBack, failedStartMs } of accidents)
        if (!comesBack && victim !== 'gateway') await world.startTerminal(victim, failedStartMs);
    },
  };
}

function chooseAccidents(world: World, random: Random): Accident[] {
  const chance = (percent: number) => random.int(100) < percent;
  const stepDeath = (): StepKill => (chance(50) ? namedStep(random) : anyStep());
  const anyStep = (): StepKill => ({
    of: chance(50) ? 'effect' : 'commit',
    steps: 1 + random.int(20),
    moment: chance(5) ? 'broken' : chance(30) ? 'before' : chance(30) ? 'thread' : 'after',
    refuses: chance(30),
  });
  const accident = (victim: Accident['victim']): Accident => ({
    atMs: random.int(loadMs),
    victim,
    downMs: random.int(400),
    comesBack: victim === 'gateway' || !chance(25),
    wiped: victim !== 'gateway' && chance(15),
    failedStartMs: chance(25) ? random.int(500) : undefined,
    atSteps: victim === 'gateway' && chance(75) ? Array.from({ length: 1 + random.int(3) }, stepDeath) : [],
    diedThere: 0,
  });
  const gateway = chance(75);
  const chosen = gateway ? [accident('gateway')] : [];
  for (const nth of world.terminals.keys()) if (chance(gateway ? 15 : 35)) chosen.push(accident(nth));
  return chosen.length > 0 ? chosen : [accident('gateway')];
}

async function happen(world: World, accident: Accident): Promise<void> {
  const { atMs, victim, downMs, comesBack, wiped, failedStartMs } = accident;
  await delay(systemClock, atMs);
  if (victim === 'gateway') return gatewayDies(world, accident);
  await world.killTerminal(victim);
  if (wiped) world.wipeTerminal(victim);
  if (!comesBack) return;
  await delay(systemClock, downMs);
  await world.startTerminal(victim, failedStartMs);
}

async function gatewayDies(world: World, accident: Accident): Promise<void> {
  const { downMs, failedStartMs, atSteps } = accident;
  for (const death of atSteps.length > 0 ? atSteps : [undefined]) {
    if (await world.killGateway(death, loadMs)) accident.diedThere++;
    await delay(systemClock, downMs);
    await world.startGateway(failedStartMs);
  }
}

/** One accident in words, for the report. */
export function accidentText(accident: Accident): string {
  const { atMs, victim, downMs, comesBack, wiped, failedStartMs, atSteps } = accident;
  const who = victim === 'gateway' ? 'gateway' : `terminal ${victim}`;
  const back = comesBack ? `back after ${downMs} ms` : 'back only after all settled';
  const again = failedStartMs === undefined ? '' : `, killed again ${failedStartMs} ms into its start`;
  const where = atSteps
    .map(({ of, name, moment, steps, refuses }) =>
      [
        ` ${moment === 'thread' ? 'by the end of its thread after' : moment} the ${name ? `${of} ${name}` : of} ${steps} from then on`,
        ...(refuses ? ['the disk refusing'] : []),
      ].join(', '),
    )
    .join();
  return `${who} killed at ${atMs} ms${where}, ${wiped ? 'memory lost, ' : ''}${back}${again}`;
}
