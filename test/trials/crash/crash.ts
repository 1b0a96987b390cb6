import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../../shared/random.ts';
import { OneGateway } from '../../load/one-gateway.ts';
import { bringingBack, die, gatewayDies, happenAll, type Kill, loadMs, terminalDies } from '../accidents.ts';
import { chance } from '../step-kills.ts';
import { type Kind, type Means, type Played, Trial } from '../trial.ts';

export const crash: Kind = {
  about: `Kills gateway and terminals under load, again and again, at any moment, right before or after commits, between two
effects of a payment and while the disk refuses some of its commits, and checks that nothing was lost or paid twice: payments
on terminals, a third of them in Adyen's Terminal API, what that gives back of them and to cards, by several tills at once,
charges, captures, refunds and payment links, and the events of all that, sent to a webhook receiver that fails at random.`,
  usual: { rounds: 20, timeScale: 0.02 },
  open: async (means) => new Crash(means),
};

class Crash extends Trial {
  readonly world: OneGateway;

  constructor(means: Means) {
    super(means);
    const { folder, timeScale, receiver } = means;
    const preload = join(import.meta.dirname, '../kill-at-step.ts');
    this.world = new OneGateway({ folder, timeScale, webhook: receiver, preload });
  }

  async play(name: string): Promise<Played> {
    const { world } = this;
    const { random, tally } = this.means;
    const accidents = chooseKills(random, world.terminals.length);
    const [load] = await Promise.all([
      this.load(name, loadMs),
      happenAll(accidents, (kill) => die(world, kill, tally)),
    ]);
    tally.count('accidents', 'by the end of the writing thread', killsInThread(world));
    return { load, accidents, bringBack: bringingBack(world, accidents) };
  }
}

function chooseKills(random: Random, terminals: number): Kill[] {
  const ofGateway = chance(random, 75);
  const kills: Kill[] = ofGateway ? [gatewayDies(random, 0)] : [];
  for (let nth = 0; nth < terminals; nth++)
    if (chance(random, ofGateway ? 15 : 35)) kills.push(terminalDies(random, nth));
  return kills.length > 0 ? kills : [gatewayDies(random, 0)];
}

/** Counts the kills at a commit that a thread wrote. The log tells which thread it was (see kill-at-step.ts). */
function killsInThread({ logs }: OneGateway): number {
  return readFileSync(join(logs, 'gateway.jsonl'), 'utf8').split('commit of the writing thread').length - 1;
}
