import { makeAcceptedInput } from '../inputs.ts';
import { changePollMs, type HistoryGateway, type World } from './gateway.ts';
import type { TerminalEnd } from './terminal-end.ts';

/**
 * A terminal without a link dials again after each of these pauses. By the end of the last pause, every gateway has
 * looked for changes that were not announced to it.
 */
const pausesMs = [1_000, changePollMs / 2, changePollMs / 2];

type Afterwards = Parameters<typeof payAfterwards>[0];

/**
 * Checks that payments work again once all faults are over. A payment that is requested at any gateway reaches the
 * connected terminal. The abort or the outcome of the payment reaches the gateway that was asked.
 * @throws Error if that fails
 */
export async function payAfterwards(on: {
  world: World;
  terminal: TerminalEnd;
  asked: HistoryGateway;
  /** The gateways that the terminal dials if its link ends. */
  gateways: readonly HistoryGateway[];
  id: string;
}): Promise<void> {
  const { world, terminal, asked, id } = on;
  const { timeline, dice, database } = world;
  const clock = timeline.clock();
  world.outcomes.clear();
  world.say(`afterwards ${asked.name} is asked for ${id}`);
  asked.accept(() => makeAcceptedInput(id, 2_500, null, clock.now(), clock.monotonic())).catch(world.broken);
  await look(on);
  if (!terminal.has('PaymentRequest', id)) throw new Error(`${id} does not come to the connected terminal`);
  if (dice.once(2)) {
    asked.abort(id).catch(world.broken);
    await look(on);
    if (!terminal.has('AbortRequest', id))
      throw new Error(`the abort of ${id} does not come to the terminal`);
  }
  await terminal.pays(id);
  const result = database.disk.results.get(id);
  if (result?.result !== 'success')
    throw new Error(`${id} does not succeed although all is well: ${result?.why ?? 'it is open'}`);
  await look(on);
}

/**
 * Checks that the remaining amount of a payment is given back once all faults are over, and that nothing is given back
 * twice.
 * @throws Error if that fails
 */
export async function giveBackAfterwards(on: Afterwards, original: string): Promise<void> {
  const { world, terminal, asked, id } = on;
  const { timeline, database } = world;
  const clock = timeline.clock();
  world.say(`afterwards ${asked.name} is asked to give back of ${original}, by ${id}`);
  const reversal = (left: number) => makeAcceptedInput(id, left, null, clock.now(), clock.monotonic());
  asked.giveBack(original, undefined, reversal).catch(world.broken);
  await look(on);
  if (!terminal.has('ReversalRequest', id))
    throw new Error(`the reversal ${id} does not come to the terminal`);
  await terminal.pays(id);
  const result = database.disk.results.get(id);
  if (result?.result !== 'success' || result.total !== database.disk.results.get(original)?.total)
    throw new Error(`the reversal ${id} does not succeed: ${result?.why ?? 'it is open'}`);
  await look(on);
}

async function look({ world, terminal, gateways }: Afterwards): Promise<void> {
  for (const pauseMs of pausesMs) {
    await world.timeline.pass(pauseMs);
    if (!terminal.connected) terminal.dials(world.dice.oneOf(gateways));
  }
}
