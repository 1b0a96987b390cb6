import { delay, systemClock } from '../../shared/clock.ts';
import type { Random } from '../../shared/random.ts';
import type { StepKill } from '../load/gateway-process.ts';
import type { World } from '../load/world.ts';
import { drawChance, stepKill } from './step-kills.ts';
import type { Tally } from './tally.ts';

/** One fault: what happens, how long after the beginning of the round it happens, and how long it lasts. */
export interface Accident {
  readonly what: string;
  /** The number of the gateway or terminal that has the fault. */
  readonly nth?: number;
  readonly atMs: number;
  readonly downMs: number;
}

/**
 * A process dies and starts again. If `failedStartMs` is set, the new process is killed this many milliseconds after
 * its start, and then another process is started.
 */
interface Death extends Accident {
  readonly nth: number;
  readonly failedStartMs: number | undefined;
}

interface DeathOfGateway extends Death {
  readonly what: 'gateway killed';
  /**
   * The steps at which the process kills itself. The running process dies at the first step. After each restart, the
   * process dies at the next step. If the list is empty, the process is killed once, at any time.
   */
  readonly atSteps: readonly StepKill[];
}

interface DeathOfTerminal extends Death {
  readonly what: 'terminal killed';
  /** Whether the terminal's memory is lost, too. */
  readonly wiped: boolean;
  /** Whether the terminal starts again within the round. Otherwise it starts only after everything else has settled. */
  readonly comesBack: boolean;
}

export type ProcessKill = DeathOfGateway | DeathOfTerminal;

/**
 * In each round, new work and accidents begin only during this time. A gateway that should kill itself at a step, but
 * does not reach the step within the same time, is killed.
 */
export const roundLoadMs = 2_000;

export function drawTimes(random: Random): { atMs: number; downMs: number } {
  return { atMs: random.int(roundLoadMs), downMs: random.int(600) };
}

export function drawGatewayDeath(random: Random, nth: number): DeathOfGateway {
  const steps = drawChance(random, 75) ? 1 + random.int(3) : 0;
  const atSteps = Array.from({ length: steps }, () => stepKill(random));
  return { what: 'gateway killed', atSteps, ...drawDeath(random, nth) };
}

export function drawTerminalDeath(random: Random, nth: number): DeathOfTerminal {
  const back = { wiped: drawChance(random, 15), comesBack: !drawChance(random, 25) };
  return { what: 'terminal killed', ...back, ...drawDeath(random, nth) };
}

function drawDeath(random: Random, nth: number) {
  return { nth, ...drawTimes(random), failedStartMs: drawChance(random, 25) ? random.int(600) : undefined };
}

/** Makes each accident happen at its time. If one victim has several accidents, they happen one after another. */
export async function runAccidents<Each extends Accident>(
  accidents: readonly Each[],
  happen: (accident: Each) => Promise<void>,
): Promise<void> {
  const begunAt = Date.now();
  const victims = Map.groupBy(accidents, ({ what, nth = '' }) => `${what.split(' ')[0]} ${nth}`);
  const inTurn = async (ofOne: readonly Each[]) => {
    for (const accident of ofOne.toSorted((one, other) => one.atMs - other.atMs)) {
      await delay(systemClock, Math.max(0, begunAt + accident.atMs - Date.now()));
      await happen(accident);
    }
  };
  await Promise.all([...victims.values()].map(inTurn));
}

export async function killAndRestart(world: World, kill: ProcessKill, tally: Tally): Promise<void> {
  if (kill.what === 'terminal killed') return killTerminal(world, kill, tally);
  const { what, nth, atSteps, downMs, failedStartMs } = kill;
  const gateway = world.gateways[nth];
  if (!gateway) throw new Error(`there is no gateway ${nth}`);
  for (const step of atSteps.length > 0 ? atSteps : [undefined]) {
    tally.count('accidents', what);
    tally.count('accidents', 'of them at a step', await gateway.kill(step, roundLoadMs));
    await delay(systemClock, downMs);
    tally.count('accidents', 'killed while it started', failedStartMs !== undefined);
    await world.startAgain(gateway, failedStartMs);
  }
}

async function killTerminal(
  { terminalProcesses }: World,
  { what, nth, wiped, comesBack, downMs, failedStartMs }: DeathOfTerminal,
  tally: Tally,
): Promise<void> {
  tally.count('accidents', what);
  await terminalProcesses.kill(nth);
  if (wiped) terminalProcesses.wipe(nth);
  if (!comesBack) return;
  await delay(systemClock, downMs);
  tally.count('accidents', 'killed while it started', failedStartMs !== undefined);
  await terminalProcesses.startOne(nth, failedStartMs);
}

/** Returns a function that starts the terminals that stayed away, or undefined if none did. */
export function makeBringBack(
  { terminalProcesses }: World,
  accidents: readonly (Accident | DeathOfTerminal)[],
): (() => Promise<void>) | undefined {
  const gone = accidents.filter((each) => 'comesBack' in each).filter(({ comesBack }) => !comesBack);
  if (gone.length === 0) return undefined;
  return async () => {
    for (const { nth, failedStartMs } of gone) await terminalProcesses.startOne(nth, failedStartMs);
  };
}
