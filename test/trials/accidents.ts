import { delay, systemClock } from '../../shared/clock.ts';
import type { Random } from '../../shared/random.ts';
import type { StepKill } from '../load/gateway-process.ts';
import type { World } from '../load/world.ts';
import type { Tally } from './tally.ts';

/** One thing that goes wrong on purpose: so long after a round began, and for so long. */
export interface Accident {
  readonly what: string;
  /** Which gateway or terminal. */
  readonly nth?: number;
  readonly atMs: number;
  readonly downMs: number;
}

/** A process dies and begins again; with `failedStartMs`, once more so long after it began to start. */
export type Kill = Accident & { readonly nth: number; readonly failedStartMs: number | undefined } & (
    | {
        readonly what: 'gateway killed';
        /** At a step instead of at any moment; and again when it is back. */
        readonly atSteps: readonly StepKill[];
      }
    | {
        readonly what: 'terminal killed';
        /** Its memory is lost, too. */
        readonly wiped: boolean;
        /** False: only after everything else has settled. */
        readonly comesBack: boolean;
      }
  );

export function chance(random: Random, percent: number): boolean {
  return random.int(100) < percent;
}

/** What is the same of every terminal that is killed. */
export function deathOfTerminal(random: Random, nth: number) {
  return {
    what: 'terminal killed' as const,
    nth,
    wiped: chance(random, 15),
    comesBack: !chance(random, 25),
  };
}

/** Has each accident happen at its time; what has one victim happens one after the other. */
export async function happenAll<Each extends Accident>(
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

/** Kills a terminal; or a gateway, which comes to its step within `withinMs` or dies then. */
export async function killOne(world: World, kill: Kill, withinMs: number, tally: Tally): Promise<void> {
  return kill.what === 'gateway killed'
    ? killGateway(world, kill, withinMs, tally)
    : killTerminal(world, kill, tally);
}

async function killGateway(
  world: World,
  { what, nth, atSteps, downMs, failedStartMs }: Extract<Kill, { what: 'gateway killed' }>,
  withinMs: number,
  tally: Tally,
): Promise<void> {
  const gateway = world.gateways[nth];
  if (!gateway) throw new Error(`there is no gateway ${nth}`);
  for (const death of atSteps.length > 0 ? atSteps : [undefined]) {
    tally.count('accidents', what);
    tally.count('accidents', 'of them at a step', await gateway.kill(death, withinMs));
    await delay(systemClock, downMs);
    tally.count('accidents', 'killed while it started', failedStartMs !== undefined);
    await world.startAgain(gateway, failedStartMs);
  }
}

async function killTerminal(
  { terminalProcesses }: World,
  { what, nth, wiped, comesBack, downMs, failedStartMs }: Extract<Kill, { what: 'terminal killed' }>,
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

/** Starts the terminals that stayed away; undefined where none did. */
export function bringingBack(
  { terminalProcesses }: World,
  accidents: readonly (Accident & { comesBack?: boolean; failedStartMs?: number | undefined })[],
): (() => Promise<void>) | undefined {
  const gone = accidents.filter(({ comesBack }) => comesBack === false);
  if (gone.length === 0) return undefined;
  return async () => {
    for (const { nth = 0, failedStartMs } of gone) await terminalProcesses.startOne(nth, failedStartMs);
  };
}
