import type { PaymentsElsewhere, RunningParts } from '../../payments/running.ts';
import type { Cluster } from '../cluster.ts';
import { AcceptElsewhere } from './accept-elsewhere.ts';
import { Elsewhere } from './elsewhere.ts';
import { Nudges } from './nudges.ts';
import { OnTerminals } from './on-terminals.ts';
import { Owning } from './owning.ts';
import { Sweeps } from './sweeps.ts';

/**
 * Runs payments at one of several gateways. Each terminal belongs to one of the gateways, and requests for its payments
 * may arrive at any of them.
 */
export function shareTerminals(on: RunningParts & { cluster: Cluster }) {
  const nudges = new Nudges(on.cluster);
  const engine = on.engineWith((turns) => {
    const acceptElsewhere = new AcceptElsewhere({ ...on, nudges, turns });
    return new Owning({ ...on, nudges, turns, acceptElsewhere });
  });
  const owning = engine.partition;
  const elsewhere = new Elsewhere({ ...on, nudges });
  const sweeps = new Sweeps({ ...on, owning });
  on.cluster.gateways.onGivenUp(() => owning.letAllGo());
  const onTerminals = new OnTerminals(on);
  const payments: PaymentsElsewhere = {
    possible: true,
    follow: (found) => elsewhere.follow(found),
    abort: (found) => elsewhere.abort(found),
    onTerminals: (ids) => onTerminals.begunAmong(ids),
    isOlder: () => on.cluster.gateways.someOlder(),
    stop() {
      elsewhere.stop();
      sweeps.stop();
    },
  };
  return { engine, elsewhere: payments };
}
