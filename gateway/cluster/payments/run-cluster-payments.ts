import type { PaymentsElsewhere, RunPaymentsParts } from '../../payments/running.ts';
import type { Cluster } from '../cluster.ts';
import { MissedWorkSweeps } from './missed-work-sweeps.ts';
import { PaymentHints } from './payment-hints.ts';
import { RemotePaymentFollower } from './remote-payment-follower.ts';
import { RemoteTerminalAcceptance } from './remote-terminal-acceptance.ts';
import { StartedPaymentsQuery } from './started-payments-query.ts';
import { TerminalPartition } from './terminal-partition.ts';

/**
 * Runs payments at one of several gateways. Each terminal belongs to one of the gateways, and requests for its payments
 * may arrive at any of them.
 */
export function runClusterPayments(on: RunPaymentsParts & { cluster: Cluster }) {
  const nudges = new PaymentHints(on.cluster);
  const engine = on.engineWith((turns) => {
    const acceptElsewhere = new RemoteTerminalAcceptance({ ...on, nudges, turns });
    return new TerminalPartition({ ...on, nudges, turns, acceptElsewhere });
  });
  const owning = engine.partition;
  const elsewhere = new RemotePaymentFollower({ ...on, nudges });
  const sweeps = new MissedWorkSweeps({ ...on, owning });
  on.cluster.gateways.onGivenUp(() => owning.letAllGo());
  const onTerminals = new StartedPaymentsQuery(on);
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
