import { join } from 'node:path';
import type { Violation } from '../../load/check.ts';
import { SeveralGateways } from '../../load/several-gateways.ts';
import { makeBringBack, roundLoadMs, runAccidents } from '../accidents.ts';
import { type PlayedRound, RunningTrial, type TrialContext, type TrialKind } from '../trial.ts';
import { chooseAccidents, runAccident } from './accidents-of-many.ts';
import { checkTerminalsReconnected } from './terminals-back.ts';

export const severalGatewaysTrial: TrialKind = {
  about: `Puts load, a third of the payments in Adyen's Terminal API, which gives back of them, too, on several gateways with one
PostgreSQL and one NATS behind a balancer, and checks that nothing was lost or paid twice while gateways are killed (also at a
step) or paused until others have taken over, NATS is killed or paused, PostgreSQL restarted, links cut and terminals killed;
and that each terminal is back within 10 s when all is well again.`,
  usual: { rounds: 20, timeScale: 0.02, gateways: 3, ownLinks: false },
  open: async (means) => {
    const { folder, timeScale, gateways, ownLinks, receiver } = means;
    const preload = join(import.meta.dirname, '../kill-at-step.ts');
    const options = { folder, timeScale, gateways, ownLinks, webhook: receiver, preload };
    return new Many(means, await SeveralGateways.open(options));
  },
};

class Many extends RunningTrial {
  readonly world: SeveralGateways;
  #away: Violation[] = [];
  #longestAwayMs = 0;

  constructor(means: TrialContext, world: SeveralGateways) {
    super(means);
    this.world = world;
  }

  async play(name: string): Promise<PlayedRound> {
    const { world } = this;
    const { random, tally, ownLinks } = this.means;
    const accidents = chooseAccidents(world, random, ownLinks);
    const [load] = await Promise.all([
      this.load(name, roundLoadMs),
      runAccidents(accidents, (accident) => runAccident(world, accident, tally)).then(() =>
        this.#waitForTerminals(),
      ),
    ]);
    return { load, accidents, bringBack: makeBringBack(world, accidents) };
  }

  override async findings(): Promise<Violation[]> {
    return this.#away;
  }

  async #waitForTerminals(): Promise<void> {
    const { violations, awayMs } = await checkTerminalsReconnected(this.world);
    this.#away = violations;
    this.#longestAwayMs = Math.max(this.#longestAwayMs, Math.round(awayMs));
    this.means.tally.set('terminals', 'ms away at most', this.#longestAwayMs);
  }
}
