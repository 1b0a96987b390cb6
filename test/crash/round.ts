import { delay, systemClock } from '../../shared/clock.ts';
import type { Random } from '../../shared/random.ts';
import { Clerk } from './clerk.ts';
import { Till, type TillPayment } from './till.ts';
import type { CommitDeath, World } from './world.ts';

/** Tills without a terminal of their own, beside one at each terminal. */
const wanderers = 2;
const clerks = 8;
const loadMs = 1200;

/** One thing that went wrong on purpose. `comesBack` false: only after everything else has settled. */
interface Accident {
  atMs: number;
  victim: 'gateway' | number;
  downMs: number;
  comesBack: boolean;
  wiped: boolean;
  /** Killed once more, so long after it began to start. */
  stillbornMs: number | undefined;
  /** Of the gateway: killed right before or after a commit, instead of at any moment; and again when it is back. */
  atCommits: CommitDeath[];
  /** How often it came to those commits. */
  diedThere: number;
}

export interface Round {
  payments: TillPayment[];
  /** Who worked in the back office. */
  office: Clerk[];
  accidents: Accident[];
  /** Brings back what stayed away. */
  bringBack(): Promise<void>;
}

/** Load from several tills, and while it runs the accidents that the dice chose; over when every till knows its outcomes and the
 * back office has done what it began. */
export async function playRound(world: World, random: Random, name: string): Promise<Round> {
  const accidents = chooseAccidents(world, random);
  const owners = [
    ...world.terminals.map(({ identifier }) => identifier),
    ...Array(wanderers).fill(undefined),
  ];
  const working = owners.map((own, nth) => new Till(world, random, `${name}-t${nth}`, own));
  const untilMs = Date.now() + loadMs;
  const office = Array.from({ length: clerks }, (_, nth) => new Clerk(world, random, `${name}-c${nth}`));
  const load = Promise.all([...working, ...office].map((each) => each.work(untilMs)));
  await Promise.all([load, ...accidents.map((accident) => happen(world, accident))]);
  return {
    payments: working.flatMap(({ payments }) => payments),
    office,
    accidents,
    bringBack: async () => {
      for (const { victim, comesBack, stillbornMs } of accidents)
        if (!comesBack && victim !== 'gateway') await world.startTerminal(victim, stillbornMs);
    },
  };
}

function chooseAccidents(world: World, random: Random): Accident[] {
  const chance = (percent: number) => random.int(100) < percent;
  const commitDeath = (): CommitDeath => ({
    commits: 1 + random.int(20),
    moment: chance(30) ? 'before' : 'after',
  });
  const accident = (victim: Accident['victim']): Accident => ({
    atMs: random.int(loadMs),
    victim,
    downMs: random.int(400),
    comesBack: victim === 'gateway' || !chance(25),
    wiped: victim !== 'gateway' && chance(15),
    stillbornMs: chance(25) ? random.int(500) : undefined,
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
  const { atMs, victim, downMs, comesBack, wiped, stillbornMs } = accident;
  await delay(systemClock, atMs);
  if (victim === 'gateway') return gatewayDies(world, accident);
  await world.killTerminal(victim);
  if (wiped) world.wipeTerminal(victim);
  if (!comesBack) return;
  await delay(systemClock, downMs);
  await world.startTerminal(victim, stillbornMs);
}

async function gatewayDies(world: World, accident: Accident): Promise<void> {
  const { downMs, stillbornMs, atCommits } = accident;
  for (const death of atCommits.length > 0 ? atCommits : [undefined]) {
    if (await world.killGateway(death, loadMs)) accident.diedThere++;
    await delay(systemClock, downMs);
    await world.startGateway(stillbornMs);
  }
}

/** One accident in words, for the report. */
export function accidentText(accident: Accident): string {
  const { atMs, victim, downMs, comesBack, wiped, stillbornMs, atCommits } = accident;
  const who = victim === 'gateway' ? 'gateway' : `terminal ${victim}`;
  const back = comesBack ? `back after ${downMs} ms` : 'back only after all settled';
  const again = stillbornMs === undefined ? '' : `, killed again ${stillbornMs} ms into its start`;
  const where = atCommits
    .map(({ moment, commits }) => ` ${moment} the commit ${commits} from then on`)
    .join();
  return `${who} killed at ${atMs} ms${where}, ${wiped ? 'memory lost, ' : ''}${back}${again}`;
}
