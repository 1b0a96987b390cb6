import { delay, systemClock } from '../../shared/clock.ts';
import type { Random } from '../../shared/random.ts';
import { type Load, loadOf } from '../load/load.ts';
import type { CommitKill, World } from '../load/world.ts';

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
  /** Of the gateway: killed right before or after a commit, instead of at any moment; and again when it is back. */
  atCommits: CommitKill[];
  /** How often it came to those commits. */
  diedThere: number;
}

export interface Round extends Load {
  accidents: Accident[];
  /** Brings back what stayed away. */
  restore(): Promise<void>;
}

/** Load from several POS systems, and while it runs the accidents that the dice chose; over when every POS knows its outcomes and the
 * back office has done what it began. */
export async function playRound(world: World, random: Random, name: string): Promise<Round> {
  const accidents = chooseAccidents(world, random);
  const [load] = await Promise.all([
    loadOf(world, random, name, Date.now() + loadMs),
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
  const commitDeath = (): CommitKill => ({
    commits: 1 + random.int(20),
    moment: chance(30) ? 'before' : 'after',
  });
  const accident = (victim: Accident['victim']): Accident => ({
    atMs: random.int(loadMs),
    victim,
    downMs: random.int(400),
    comesBack: victim === 'gateway' || !chance(25),
    wiped: victim !== 'gateway' && chance(15),
    failedStartMs: chance(25) ? random.int(500) : undefined,
    atCommits:
      victim === 'gateway' && chance(75) ? Array.from({ length: 1 + random.int(3) }, commitDeath) : [],
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
  const { downMs, failedStartMs, atCommits } = accident;
  for (const death of atCommits.length > 0 ? atCommits : [undefined]) {
    if (await world.killGateway(death, loadMs)) accident.diedThere++;
    await delay(systemClock, downMs);
    await world.startGateway(failedStartMs);
  }
}

/** One accident in words, for the report. */
export function accidentText(accident: Accident): string {
  const { atMs, victim, downMs, comesBack, wiped, failedStartMs, atCommits } = accident;
  const who = victim === 'gateway' ? 'gateway' : `terminal ${victim}`;
  const back = comesBack ? `back after ${downMs} ms` : 'back only after all settled';
  const again = failedStartMs === undefined ? '' : `, killed again ${failedStartMs} ms into its start`;
  const where = atCommits
    .map(({ moment, commits }) => ` ${moment} the commit ${commits} from then on`)
    .join();
  return `${who} killed at ${atMs} ms${where}, ${wiped ? 'memory lost, ' : ''}${back}${again}`;
}
