import { join } from 'node:path';
import type { Violation } from '../../load/check.ts';
import { SeveralGateways } from '../../load/several-gateways.ts';
import { bringingBack, happenAll, loadMs } from '../accidents.ts';
import { type Kind, type Means, type Played, Trial } from '../trial.ts';
import { chooseAccidents, happen } from './accidents-of-many.ts';
import { terminalsBack } from './terminals-back.ts';

export const many: Kind = {
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

class Many extends Trial {
  readonly world: SeveralGateways;
  #away: Violation[] = [];
  #longestAwayMs = 0;

  constructor(means: Means, world: SeveralGateways) {
    super(means);
    this.world = world;
  }

  async play(name: string): Promise<Played> {
    const { world } = this;
    const { random, tally, ownLinks } = this.means;
    const accidents = chooseAccidents(world, random, ownLinks);
    const [load] = await Promise.all([
      this.load(name, loadMs),
      happenAll(accidents, (accident) => happen(world, accident, tally)).then(() => this.#waitForTerminals()),
    ]);
    return { load, accidents, bringBack: bringingBack(world, accidents) };
  }

  override async findings(): Promise<Violation[]> {
    return this.#away;
  }

  async #waitForTerminals(): Promise<void> {
    const { violations, awayMs } = await terminalsBack(this.world);
    this.#away = violations;
    this.#longestAwayMs = Math.max(this.#longestAwayMs, Math.round(awayMs));
    this.means.tally.set('terminals', 'ms away at most', this.#longestAwayMs);
  }
}
