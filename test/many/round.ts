import { delay, systemClock } from '../../shared/clock.ts';
import type { Random } from '../../shared/random.ts';
import { namedStep } from '../crash/named-step.ts';
import type { Violation } from '../load/check.ts';
import type { StepKill } from '../load/gateway-process.ts';
import type { Paid } from '../load/giving-back.ts';
import { type Load, loadOf } from '../load/load.ts';
import { checkBack } from './check-back.ts';
import type { ManyWorld } from './many-world.ts';

const loadMs = 2_000;
/** A gateway that is silent for five seconds is given up by the others. */
const longPauseMs = 6_500;

/** One thing that goes wrong on purpose. */
export type Accident = { atMs: number; downMs: number } & (
  | { what: 'gateway killed'; nth: number; atSteps: StepKill[]; failedStartMs: number | undefined }
  /** Stopped and continued: a short time, or long enough to lose what it owned. */
  | { what: 'gateway paused'; nth: number }
  | { what: 'NATS killed' }
  | { what: 'NATS paused' }
  | { what: 'PostgreSQL restarted' }
  | { what: 'links cut' }
  | { what: 'links reset' }
  | { what: 'terminal killed'; nth: number; wiped: boolean; comesBack: boolean }
);

export interface Round extends Load {
  accidents: Accident[];
  /** What was wrong with how soon the terminals were back, and when the last was. */
  back: { violations: Violation[]; awayMs: number };
  /** Brings back what stayed away. */
  restore(): Promise<void>;
}

/** Load at all gateways, and while it runs the accidents that the dice chose. */
export async function playRound(world: ManyWorld, random: Random, name: string, paid: Paid): Promise<Round> {
  const accidents = chooseAccidents(world, random);
  const [load, back] = await Promise.all([
    loadOf(world, random, name, { untilMs: Date.now() + loadMs, paid }),
    Promise.all(inTurn(accidents).map((each) => happenAll(world, each))).then(() => checkBack(world)),
  ]);
  const restore = async () => {
    for (const accident of accidents)
      if (accident.what === 'terminal killed' && !accident.comesBack)
        await world.terminalProcesses.startOne(accident.nth);
  };
  return { ...load, accidents, back, restore };
}

/** What has one victim happens one after the other. */
function inTurn(accidents: readonly Accident[]): Accident[][] {
  const victims = Map.groupBy(accidents, (accident) => {
    const kind = accident.what.split(' ')[0];
    return 'nth' in accident ? `${kind} ${accident.nth}` : kind;
  });
  return [...victims.values()];
}

function chooseAccidents(world: ManyWorld, random: Random): Accident[] {
  const chance = (percent: number) => random.int(100) < percent;
  const any = <Item>(items: readonly Item[]): number => random.int(items.length);
  const time = () => ({ atMs: random.int(loadMs), downMs: random.int(800) });
  const stepDeath = (): StepKill => (chance(50) ? namedStep(random) : anyStep());
  const anyStep = (): StepKill => ({
    of: chance(50) ? 'effect' : 'commit',
    steps: 1 + random.int(20),
    moment: chance(40) ? 'before' : 'after',
    refuses: chance(30),
  });
  const killed = (): Accident => ({
    what: 'gateway killed',
    nth: any(world.gateways),
    atSteps: chance(60) ? [stepDeath()] : [],
    failedStartMs: chance(20) ? random.int(800) : undefined,
    ...time(),
  });
  const paused = (): Accident => ({
    what: 'gateway paused',
    nth: any(world.gateways),
    ...time(),
    ...(chance(60) ? { downMs: longPauseMs + random.int(2_000) } : {}),
  });
  const chosen: Accident[] = [];
  if (chance(50)) chosen.push(killed());
  if (chance(30)) chosen.push(killed());
  if (chance(25)) chosen.push(paused());
  if (chance(20)) chosen.push({ what: chance(50) ? 'NATS killed' : 'NATS paused', ...time() });
  if (chance(15)) chosen.push({ what: 'PostgreSQL restarted', ...time() });
  if (chance(30)) chosen.push({ what: 'links cut', ...time() });
  if (world.ownLinks) chosen.push(...staleDials(world, random));
  for (const nth of world.terminals.keys())
    if (chance(10))
      chosen.push({
        what: 'terminal killed',
        nth,
        wiped: chance(15),
        comesBack: !chance(25),
        ...time(),
      });
  return chosen.length > 0 ? chosen : [killed()];
}

/** A gateway stands still while terminals dial it, and what is between them resets the connections meanwhile, again and again. */
function staleDials(world: ManyWorld, random: Random): Accident[] {
  const nth = random.int(world.gateways.length);
  const downMs = 400 + random.int(random.int(100) < 30 ? longPauseMs : 2_000);
  const atMs = random.int(loadMs / 2);
  const resets = Array.from({ length: 1 + random.int(4) }, (): Accident => {
    const within = random.int(Math.min(downMs, loadMs));
    return { what: 'links reset', atMs: atMs + within, downMs: 0 };
  });
  return [{ what: 'gateway paused', nth, atMs, downMs }, ...resets];
}

async function happenAll(world: ManyWorld, accidents: readonly Accident[]): Promise<void> {
  const begunAt = Date.now();
  for (const accident of accidents.toSorted((one, other) => one.atMs - other.atMs)) {
    await delay(systemClock, Math.max(0, begunAt + accident.atMs - Date.now()));
    await happen(world, accident);
  }
}

async function happen(world: ManyWorld, accident: Accident): Promise<void> {
  const while_ = () => delay(systemClock, accident.downMs);
  switch (accident.what) {
    case 'gateway killed':
      return gatewayDies(world, accident);
    case 'gateway paused': {
      const gateway = world.gateways[accident.nth];
      return gateway?.up ? world.withPaused(gateway, while_) : undefined;
    }
    case 'NATS killed':
      await world.nats.kill();
      await while_();
      return world.nats.run();
    case 'NATS paused':
      world.nats.pause();
      await while_();
      return world.nats.goOn();
    case 'PostgreSQL restarted':
      return world.withoutDatabase(while_);
    case 'links cut':
      return world.balancer.cutLinks();
    case 'links reset':
      return world.balancer.resetLinks();
    case 'terminal killed':
      await world.terminalProcesses.kill(accident.nth);
      if (accident.wiped) world.terminalProcesses.wipe(accident.nth);
      if (!accident.comesBack) return;
      await while_();
      return world.terminalProcesses.startOne(accident.nth);
  }
}

async function gatewayDies(
  world: ManyWorld,
  { nth, downMs, atSteps, failedStartMs }: Extract<Accident, { what: 'gateway killed' }>,
): Promise<void> {
  const gateway = world.gateways[nth];
  for (const death of atSteps.length > 0 ? atSteps : [undefined]) {
    await gateway?.kill(death, loadMs);
    await delay(systemClock, downMs);
    if (gateway) await world.startAgain(gateway, failedStartMs);
  }
}
