import type { Random } from '../../shared/random.ts';
import { adyenApi } from './adyen-api.ts';
import { BackOffice } from './back-office.ts';
import type { Paid } from './giving-back.ts';
import { nativeApi } from './native-api.ts';
import { Pos } from './pos.ts';
import type { PosPayment } from './pos-api.ts';
import type { World } from './world.ts';

/** POS systems without a terminal of their own, beside one at each terminal. */
const roamingPos = 2;
const backOffices = 8;
const apis = [nativeApi, nativeApi, adyenApi];

/** What a gateway had to do, and what it was asked. */
export interface Load {
  payments: PosPayment[];
  /** Who worked in the back office. */
  office: BackOffice[];
}

/** Payments at every terminal, what is given back of those that are `paid`, and work in the back office until `untilMs`, and until all of that is concluded. */
export async function loadOf(
  world: World,
  random: Random,
  name: string,
  { untilMs, paid }: { untilMs: number; paid: Paid },
): Promise<Load> {
  const owners = [
    ...world.terminals.map(({ identifier }) => identifier),
    ...Array(roamingPos).fill(undefined),
  ];
  const working = owners.map((own, nth) => {
    const pos = `${name}-t${nth}`;
    // Those with a terminal of their own share a till's name, so that only the terminal tells their messages apart.
    return new Pos(world, random, { name: pos, own, till: own === undefined ? pos : name, apis, paid });
  });
  const office = Array.from(
    { length: backOffices },
    (_, nth) => new BackOffice(world, random, `${name}-c${nth}`),
  );
  await Promise.all([...working, ...office].map((each) => each.work(untilMs)));
  return { payments: working.flatMap(({ payments }) => payments), office };
}
