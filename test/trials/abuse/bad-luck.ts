import { delay, systemClock } from '../../../shared/clock.ts';
import type { Random } from '../../../shared/random.ts';
import type { OneGateway } from '../../load/one-gateway.ts';
import type { FillableDisk } from './disk.ts';

const hour = 3_600_000;
const offsets = [-48 * hour, -hour, -60_000, -1, 1_000, hour, 24 * hour, 49 * hour, 400 * 24 * hour];

/** The mishaps: each line says what was done to the machine. The report shows these lines. */
export type Mishaps = string[];

/** Sets the gateway's wall clock forward and back until `untilMs`. At the end, sets it to the correct time. */
export async function disturbWallClock(
  world: OneGateway,
  random: Random,
  untilMs: number,
  mishaps: Mishaps,
): Promise<void> {
  const set = (offsetMs: number) => {
    world.gateway.send({ wallClockOffsetMs: offsetMs });
    mishaps.push(`${new Date().toISOString()} wall clock ${offsetMs} ms off`);
  };
  while (performance.now() < untilMs) {
    await delay(systemClock, random.int(1_500));
    set(random.int(3) === 0 ? 0 : (offsets[random.int(offsets.length)] ?? 0));
  }
  set(0);
}

/** Fills the disk for some seconds, again and again, and frees it at the end. */
export async function fillDiskRepeatedly(
  world: OneGateway,
  disk: FillableDisk,
  random: Random,
  untilMs: number,
  mishaps: Mishaps,
): Promise<void> {
  const set = (full: boolean) => {
    if (full) {
      world.diskFull = true;
      disk.fill();
    } else {
      disk.empty();
      world.diskFull = false;
    }
    mishaps.push(`${new Date().toISOString()} disk ${full ? 'full' : 'empty'}`);
  };
  for (;;) {
    await delay(systemClock, 500 + random.int(2_000));
    if (performance.now() > untilMs) return;
    set(true);
    await delay(systemClock, 200 + random.int(3_000)).finally(() => set(false));
  }
}
