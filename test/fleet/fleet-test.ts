import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { delay, systemClock } from '../../shared/clock.ts';
import { type Random, seededRandom } from '../../shared/random.ts';
import { check, type Violation } from '../load/check.ts';
import { countEndings, type Endings } from '../load/endings.ts';
import { Pos } from '../load/pos.ts';
import { WebhookReceiver } from '../load/webhook-receiver.ts';
import { ManyWorld } from '../many/many-world.ts';
import { NodeProcess } from '../node-process.ts';
import { Owners } from './owners.ts';
import { type Takeover, takeoversOf } from './takeovers.ts';

export interface FleetOptions {
  terminals: number;
  gateways: number;
  /** So many of the terminals are paid at, one payment after another. */
  paying: number;
  seed: number;
  /** Of the processes' data and logs. */
  folder: string;
  say(text: string): void;
}

export interface FleetSummary {
  /** From the death of the gateway until all its terminals were connected to the others, ms. */
  backMs: number;
  /** How many terminals it had. */
  orphans: number;
  /** Of the payments that were open on them. */
  takeovers: (Takeover | undefined)[];
  payments: number;
  endings: Endings;
  violations: Violation[];
}

/** Processes that the terminals are in. */
const emulators = 4;
const loadMs = 12_000;
const killAfterMs = 5_000;

/** Has a fleet of terminals at several gateways, kills one of them while payments are under way, and sees what becomes of both. */
export async function fleetTest(options: FleetOptions): Promise<FleetSummary> {
  const { folder, say } = options;
  const random = seededRandom(options.seed);
  const receiver = await WebhookReceiver.start(random);
  const world = await ManyWorld.start({
    ...options,
    timeScale: 1,
    webhook: receiver,
    fleet: true,
  });
  const owners = await Owners.open(world.database);
  const running: NodeProcess<unknown>[] = [];
  try {
    say('the gateways run');
    const startedAt = Date.now();
    for (let nth = 0; nth < emulators; nth++) running.push(await emulatorOf(world, folder, nth));
    await until(async () => (await owners.connected()) === options.terminals);
    say(`all terminals are connected after ${seconds(Date.now() - startedAt)}`);
    return await killOne(world, owners, random, options);
  } finally {
    await Promise.all(running.map((each) => each.stop()));
    await owners.close();
    await world.stop();
    receiver.stop();
    await world.remove();
  }
}

/** One of the processes that the terminals are in. */
function emulatorOf(world: ManyWorld, folder: string, nth: number): Promise<NodeProcess<unknown>> {
  const given = world.terminals.filter((_, at) => at % emulators === nth);
  const file = join(folder, `terminals-${nth}.json`);
  writeFileSync(file, JSON.stringify(given.map(({ poiId, deviceKey }) => ({ poiId, deviceKey }))));
  const logFile = join(world.logs, `terminals-${nth}.jsonl`);
  return NodeProcess.start(join(import.meta.dirname, 'terminals.ts'), [world.url, file], { logFile });
}

async function killOne(
  world: ManyWorld,
  owners: Owners,
  random: Random,
  { terminals, paying, say }: FleetOptions,
): Promise<FleetSummary> {
  const places = Array.from({ length: paying }, () => world.terminals[random.int(terminals)]?.identifier);
  const working = [...new Set(places)].map(
    (own, nth) => new Pos(world, random, { name: `fleet-${nth}`, own }),
  );
  const load = Promise.all(working.map((each) => each.work(Date.now() + loadMs)));
  await delay(systemClock, killAfterMs);
  const { name, count: orphans } = await owners.largest();
  const victim = world.gateways.find(({ process: { pid } }) => name === `${hostname()}-${pid}`);
  if (!victim) throw new Error(`${name} is none of the gateways`);
  const open = await owners.openOn(name);
  const diedAt = Date.now();
  await victim.kill();
  say(`a gateway with ${orphans} terminals and ${open.length} open payments on them was killed`);
  await until(async () => (await owners.connected(name)) === terminals);
  const backMs = Date.now() - diedAt;
  say(`all terminals are connected again after ${seconds(backMs)}`);
  await load;
  const payments = working.flatMap((each) => each.payments);
  const { violations } = await check(world, payments, []);
  const endings: Endings = {};
  countEndings(endings, payments);
  const takeovers = takeoversOf(world.logs, open, diedAt);
  return { backMs, orphans, takeovers, payments: payments.length, endings, violations };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await delay(systemClock, 100);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
