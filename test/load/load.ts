import type { Random } from '../../shared/random.ts';
import { BackOffice } from './back-office.ts';
import type { Loaded } from './loaded.ts';
import { Pos, type PosPayment } from './pos.ts';

/** POS systems without a terminal of their own, beside one at each terminal. */
const roamingPos = 2;
const backOffices = 8;

/** What a gateway had to do, and what it was asked. */
export interface Load {
  payments: PosPayment[];
  /** Who worked in the back office. */
  office: BackOffice[];
}

/** Payments at every terminal and work in the back office until `untilMs`, and until all of that is concluded. */
export async function loadOf(world: Loaded, random: Random, name: string, untilMs: number): Promise<Load> {
  const owners = [
    ...world.terminals.map(({ identifier }) => identifier),
    ...Array(roamingPos).fill(undefined),
  ];
  const working = owners.map((own, nth) => new Pos(world, random, `${name}-t${nth}`, own));
  const office = Array.from(
    { length: backOffices },
    (_, nth) => new BackOffice(world, random, `${name}-c${nth}`),
  );
  await Promise.all([...working, ...office].map((each) => each.work(untilMs)));
  return { payments: working.flatMap(({ payments }) => payments), office };
}
