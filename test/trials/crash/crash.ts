import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../../shared/random.ts';
import { OneGateway } from '../../load/one-gateway.ts';
import {
  drawGatewayDeath,
  drawTerminalDeath,
  killAndRestart,
  makeBringBack,
  type ProcessKill,
  roundLoadMs,
  runAccidents,
} from '../accidents.ts';
import { drawChance } from '../step-kills.ts';
import { type PlayedRound, RunningTrial, type TrialContext, type TrialKind } from '../trial.ts';

export const crashTrial: TrialKind = {
  about: `Kills gateway and terminals under load, again and again, at any moment, right before or after commits, between two
effects of a payment and while the disk refuses some of its commits, and checks that nothing was lost or paid twice: payments
on terminals, a third of them in Adyen's Terminal API, what that gives back of them and to cards, by several tills at once,
charges, captures, refunds and payment links, and the events of all that, sent to a webhook receiver that fails at random.`,
  usual: { rounds: 20, timeScale: 0.02 },
  open: async (means) => new Crash(means),
};

class Crash extends RunningTrial {
  readonly world: OneGateway;

  constructor(means: TrialContext) {
    super(means);
    const { folder, timeScale, receiver } = means;
    const preload = join(import.meta.dirname, '../kill-at-step.ts');
    this.world = new OneGateway({ folder, timeScale, webhook: receiver, preload });
  }

  async play(name: string): Promise<PlayedRound> {
    const { world } = this;
    const { random, tally } = this.means;
    const accidents = chooseKills(random, world.terminals.length);
    const [load] = await Promise.all([
      this.load(name, roundLoadMs),
      runAccidents(accidents, (kill) => killAndRestart(world, kill, tally)),
    ]);
    tally.count('accidents', 'by the end of the writing thread', killsInThread(world));
    return { load, accidents, bringBack: makeBringBack(world, accidents) };
  }
}

function chooseKills(random: Random, terminals: number): ProcessKill[] {
  const ofGateway = drawChance(random, 75);
  const kills: ProcessKill[] = ofGateway ? [drawGatewayDeath(random, 0)] : [];
  for (let nth = 0; nth < terminals; nth++)
    if (drawChance(random, ofGateway ? 15 : 35)) kills.push(drawTerminalDeath(random, nth));
  return kills.length > 0 ? kills : [drawGatewayDeath(random, 0)];
}

/**
 * Counts the kills at commits of the writing thread. For each kill at a commit, the log names the thread (see
 * kill-at-step.ts).
 */
function killsInThread({ logs }: OneGateway): number {
  return readFileSync(join(logs, 'gateway.jsonl'), 'utf8').split('commit of the writing thread').length - 1;
}
