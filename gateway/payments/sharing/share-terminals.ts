import type { Peers } from '../../peers/peers.ts';
import type { EngineWith } from '../moving/payment-engine.ts';
import type { Waiters } from '../moving/waiters.ts';
import { AcceptElsewhere } from './accept-elsewhere.ts';
import { Elsewhere } from './elsewhere.ts';
import { Nudges } from './nudges.ts';
import { Owning } from './owning.ts';
import { Sweeps } from './sweeps.ts';

type Parts = Omit<ConstructorParameters<typeof Owning>[0], 'acceptElsewhere' | 'nudges' | 'turns'>;

/** Moves payments at one of several gateways: each terminal belongs to one of them, and its payments come in at any. */
export function shareTerminals(on: Parts & { peers: Peers; waiting: Waiters; engineWith: EngineWith }) {
  const nudges = new Nudges(on.peers);
  const engine = on.engineWith((turns) => {
    const acceptElsewhere = new AcceptElsewhere({ ...on, nudges, turns });
    return new Owning({ ...on, nudges, turns, acceptElsewhere });
  });
  const owning = engine.partition;
  const elsewhere = new Elsewhere({ ...on, nudges });
  const sweeps = new Sweeps({ ...on, owning });
  on.peers.gateways.onGivenUp(() => owning.letAllGo());
  return {
    engine,
    elsewhere,
    stop() {
      elsewhere.stop();
      sweeps.stop();
    },
  };
}
