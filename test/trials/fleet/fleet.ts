import { hostname } from 'node:os';
import { delay, systemClock } from '../../../shared/clock.ts';
import type { GatewayProcess } from '../../load/gateway-process.ts';
import { Pos } from '../../load/pos.ts';
import { SeveralGateways } from '../../load/several-gateways.ts';
import type { NodeProcess } from '../../node-process.ts';
import { type PlayedRound, RunningTrial, type TrialContext, type TrialKind } from '../trial.ts';
import { startEmulators } from './emulators.ts';
import { type Orphan, TerminalOwnersReader } from './owners.ts';
import { takeoverTexts } from './takeovers.ts';

export const fleetTrial: TrialKind = {
  about: `Connects thousands of terminals to several gateways with one PostgreSQL and one NATS behind a balancer, kills a gateway
while payments are under way, and prints how soon its terminals are back, how soon its open payments are taken over, and
whether nothing was lost or paid twice.`,
  usual: { rounds: 1, terminals: 10_000, gateways: 3, paying: 150 },
  open: async (means) => {
    const { folder, timeScale, gateways, terminals, receiver } = means;
    const options = { folder, timeScale, gateways, terminals, webhook: receiver, fleet: true };
    const world = await SeveralGateways.open(options);
    return new Fleet(means, world, await TerminalOwnersReader.open(world.database));
  },
};

const loadMs = 12_000;
const killAfterMs = 5_000;

class Fleet extends RunningTrial {
  readonly world: SeveralGateways;
  readonly #owners: TerminalOwnersReader;
  #emulators: NodeProcess<unknown>[] = [];

  constructor(means: TrialContext, world: SeveralGateways, owners: TerminalOwnersReader) {
    super(means);
    this.world = world;
    this.#owners = owners;
  }

  override async start(): Promise<void> {
    await super.start();
    this.means.say('the gateways run');
    const startedAt = Date.now();
    this.#emulators = await startEmulators(this.world, this.means.folder);
    await this.#allConnected();
    this.means.say(`all terminals are connected after ${secondsSince(startedAt)}`);
  }

  override async stop(): Promise<void> {
    await Promise.all(this.#emulators.map((each) => each.stop()));
    await this.#owners.close();
    await super.stop();
  }

  async play(name: string): Promise<PlayedRound> {
    const { world } = this;
    const { random, paying } = this.means;
    const places = Array.from({ length: paying }, () => random.int(world.terminals.length));
    const tills = [...new Set(places)].map(
      (nth) => new Pos(world, random, { name: `${name}-${nth}`, own: world.terminals[nth]?.identifier }),
    );
    const working = Promise.all(tills.map((till) => till.work(Date.now() + loadMs)));
    await delay(systemClock, killAfterMs);
    const victim = await this.#killLargest();
    await working;
    const payments = tills.flatMap((till) => till.payments);
    this.#say(takeoverTexts(world.logs, victim.open, victim.diedAt));
    return {
      load: { payments, office: [] },
      accidents: [victim.name],
      bringBack: () => world.startAgain(victim.gateway),
    };
  }

  /**
   * Kills the gateway that has the most terminals, and waits until the other gateways have taken over these terminals.
   */
  async #killLargest(): Promise<Victim> {
    const { name, count } = await this.#owners.largest();
    const gateway = this.world.gateways.find(({ process: { pid } }) => name === `${hostname()}-${pid}`);
    if (!gateway) throw new Error(`${name} is none of the gateways`);
    const open = await this.#owners.openOn(name);
    const diedAt = Date.now();
    await gateway.kill();
    this.means.tally.count('accidents', 'gateway killed');
    this.#say([`a gateway with ${count} terminals and ${open.length} open payments on them was killed`]);
    await this.#allConnected(name);
    this.#say([`all terminals are connected again after ${secondsSince(diedAt)}`]);
    return { name, gateway, open, diedAt };
  }

  async #allConnected(except?: string): Promise<void> {
    while ((await this.#owners.connected(except)) < this.means.terminals) await delay(systemClock, 100);
  }

  #say(texts: readonly string[]): void {
    for (const text of texts) this.means.say(text);
  }
}

interface Victim {
  name: string;
  gateway: GatewayProcess;
  open: Orphan[];
  diedAt: number;
}

function secondsSince(atMs: number): string {
  return `${((Date.now() - atMs) / 1000).toFixed(1)} s`;
}
