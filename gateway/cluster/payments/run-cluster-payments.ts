import type { PaymentEngineMakerParts, PaymentsElsewhere } from '../../payments/running.ts';
import type { Cluster } from '../cluster.ts';
import { MissedWorkSweeps } from './missed-work-sweeps.ts';
import { PaymentHintBus } from './payment-hints.ts';
import { RemotePaymentFollower } from './remote-payment-follower.ts';
import { RemoteTerminalPaymentAcceptor } from './remote-terminal-acceptance.ts';
import { StartedPaymentsQuery } from './started-payments-query.ts';
import { TerminalPartition } from './terminal-partition.ts';

/**
 * Runs payments at one of several gateways. Each terminal belongs to one of the gateways, and a request for a payment
 * on the terminal may arrive at any of them.
 */
export function makeClusterPaymentEngine(on: PaymentEngineMakerParts & { cluster: Cluster }) {
  const paymentHints = new PaymentHintBus(on.cluster);
  const engine = on.engineWith((turns) => {
    const remoteAcceptance = new RemoteTerminalPaymentAcceptor({ ...on, paymentHints, turns });
    return new TerminalPartition({ ...on, paymentHints, turns, remoteAcceptance });
  });
  const partition = engine.partition;
  const elsewhere = new RemotePaymentFollower({ ...on, paymentHints });
  const sweeps = new MissedWorkSweeps({ ...on, partition });
  on.cluster.gateways.onGivenUp(() => partition.letAllGo());
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
