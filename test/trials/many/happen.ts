import { delay, systemClock } from '../../../shared/clock.ts';
import type { SeveralGateways } from '../../load/several-gateways.ts';
import { killOne } from '../accidents.ts';
import type { Tally } from '../tally.ts';
import { type AccidentOfMany, loadMs } from './choose-accidents.ts';

/** A gateway that is silent for so long is given up by the others. */
const givenUpMs = 5_000;

/** Has one thing go wrong, and go well again. */
export async function happen(world: SeveralGateways, accident: AccidentOfMany, tally: Tally): Promise<void> {
  const { what, downMs } = accident;
  if (what === 'gateway killed' || what === 'terminal killed') return killOne(world, accident, loadMs, tally);
  tally.count('accidents', what);
  const while_ = () => delay(systemClock, downMs);
  switch (what) {
    case 'gateway paused': {
      tally.count('accidents', 'of them until given up', downMs > givenUpMs);
      const gateway = world.gateways[accident.nth];
      return gateway?.up ? world.withPaused(gateway, while_) : undefined;
    }
    case 'NATS killed':
      await world.nats.kill();
      await while_();
      return world.nats.run();
    case 'NATS paused':
      world.nats.pause();
      await while_();
      return world.nats.goOn();
    case 'PostgreSQL restarted':
      return world.withoutDatabase(while_);
    case 'links cut':
      return world.balancer.cutLinks();
    case 'links reset':
      return world.balancer.resetLinks();
  }
}
