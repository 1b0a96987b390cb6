import type { Random } from '../../shared/random.ts';
import { adyenApi } from './adyen-api.ts';
import { BackOffice } from './back-office.ts';
import type { ReversiblePayments } from './giving-back.ts';
import { nativeApi } from './native-api.ts';
import { Pos } from './pos.ts';
import type { PosPayment } from './pos-api.ts';
import type { World } from './world.ts';

/**
 * The number of POS systems that have no terminal of their own. In addition, there is one POS system for each
 * terminal.
 */
const roamingPos = 2;
const backOffices = 8;
const apis = [nativeApi, nativeApi, adyenApi];

/** The requests that a gateway got during a round. */
export interface RoundLoad {
  payments: PosPayment[];
  /** The back offices. */
  office: BackOffice[];
}

/**
 * Lets points of sale request payments at every terminal, and give back some of the payments in `paid`. Back offices
 * work at the same time. No work begins after `untilMs`. Resolves when all work is concluded.
 */
export async function playLoad(
  world: World,
  random: Random,
  name: string,
  { untilMs, paid }: { untilMs: number; paid: ReversiblePayments },
): Promise<RoundLoad> {
  const owners = [
    ...world.terminals.map(({ identifier }) => identifier),
    ...Array(roamingPos).fill(undefined),
  ];
  const working = owners.map((own, nth) => {
    const pos = `${name}-t${nth}`;
    // Points of sale with a terminal of their own all use one till name. So their messages differ only in the terminal.
    return new Pos(world, random, { name: pos, own, till: own === undefined ? pos : name, apis, paid });
  });
  const office = Array.from(
    { length: backOffices },
    (_, nth) => new BackOffice(world, random, `${name}-c${nth}`),
  );
  await Promise.all([...working, ...office].map((each) => each.work(untilMs)));
  return { payments: working.flatMap(({ payments }) => payments), office };
}
