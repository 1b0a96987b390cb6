import type { Peers } from '../peers/peers.ts';
import { AcceptElsewhere } from './accept-elsewhere.ts';
import { Elsewhere } from './elsewhere.ts';
import { Nudges } from './nudges.ts';
import { Owning } from './owning.ts';
import { Sweeps } from './sweeps.ts';
import type { Waiting } from './waiting.ts';

type Parts = Omit<ConstructorParameters<typeof Owning>[0], 'acceptElsewhere' | 'nudges'>;

/** Lets terminals belong to one of several gateways each, and their payments come in at any. */
export function shareTerminals(on: Parts & { peers: Peers; waiting: Waiting }) {
  const nudges: Nudges = new Nudges({
    hints: on.peers.hints,
    address: on.peers.gateways.id,
    look: (terminalId, offer) => owning.look(terminalId, offer),
    verify: (terminalId) => owning.verify(terminalId),
    runs: (id) => on.open.byId(id).is !== 'none',
    changed: (id) => elsewhere.changed(id),
    concluded: (id, outcome) => on.waiting.wake(id, { by: 'result', outcome }),
  });
  const owning: Owning = new Owning({
    ...on,
    nudges,
    acceptElsewhere: new AcceptElsewhere({ ...on, nudges }),
  });
  on.lanes.ownedBy(owning);
  on.waiting.listen((id, woken) => {
    owning.woke(id, woken).catch(() => {}); // who asked for the abort waits in vain, and asks again
  });
  on.peers.gateways.onGivenUp(() => owning.letAllGo());
  const elsewhere = new Elsewhere({ ...on, nudges });
  const sweeps = new Sweeps({ ...on, owning });
  return {
    elsewhere,
    stop() {
      elsewhere.stop();
      sweeps.stop();
    },
  };
}
