import { lifecycle } from '../../gateway/payments/core/lifecycle.ts';
import { Coverage } from './coverage.ts';
import { CreditHistory } from './credits/history.ts';
import { bugsOfCredits } from './credits/planted-bugs.ts';
import { DebitHistory } from './debits/history.ts';
import { bugsOfDebits } from './debits/planted-bugs.ts';
import { History } from './history.ts';
import { bugsOfCore, type PlantedBug } from './planted-bugs.ts';
import { stepsOfOne } from './play.ts';
import { TwoOwnersHistory } from './two-owners/history.ts';
import { bugsOfTwoOwners } from './two-owners/planted-bugs.ts';
import { DeliveryHistory } from './webhooks/history.ts';
import { bugsOfDeliveries } from './webhooks/planted-bugs.ts';

/** The maximum number of histories that are played until one shows the bug. */
const mostSeeds = 2_000;

/** A planted bug, and the function that plays a history with it. */
interface Playable extends PlantedBug {
  play(seed: number): Promise<void>;
}

/**
 * All planted bugs. There are bugs of payments (with one gateway and with two), of credits, of debits and of webhook
 * deliveries.
 */
export const allPlantedBugs: readonly Playable[] = [
  ...bugsOfCore.map((bug) => ({
    ...bug,
    play: async (seed: number) => new History(seed, new Coverage(lifecycle), bug.decides).play(stepsOfOne),
  })),
  ...bugsOfTwoOwners.map((bug) => ({
    ...bug,
    play: (seed: number) => new TwoOwnersHistory(seed, bug.plant).play(stepsOfOne),
  })),
  ...bugsOfCredits.map((bug) => ({
    ...bug,
    play: (seed: number) => new CreditHistory(seed, new Coverage({}), bug.plant).play(stepsOfOne),
  })),
  ...bugsOfDebits.map((bug) => ({
    ...bug,
    play: (seed: number) => new DebitHistory(seed, undefined, bug.plant).play(stepsOfOne),
  })),
  ...bugsOfDeliveries.map((bug) => ({
    ...bug,
    play: (seed: number) => new DeliveryHistory(seed, new Coverage({}), bug.plant).play(stepsOfOne),
  })),
];

/**
 * Returns the seed of the first history in which a planted bug breaks its own invariant, and no other invariant before
 * that.
 */
export async function seedShowing({ play, invariant }: Playable): Promise<number | undefined> {
  for (let seed = 1; seed <= mostSeeds; seed++) {
    const broken = await play(seed).catch(String);
    if (broken !== undefined && invariant.test(broken)) return seed;
  }
  return undefined;
}
