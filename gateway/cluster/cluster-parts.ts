import { faultSchema } from '../control/fault-schemas.ts';
import type { LoneOrClusterParts } from '../one-or-many.ts';
import type { Cluster } from './cluster.ts';
import { readTerminalsConnectedAnywhere } from './connected-terminals.ts';
import { EmulatorsEverywhere } from './emulators/emulators-everywhere.ts';
import { noHints } from './hints/hints.ts';
import { MergedJournal } from './journal/merged-journal.ts';
import { makeClusterPaymentEngine } from './payments/run-cluster-payments.ts';
import { openSharedFaults } from './shared-faults.ts';

/** The subject on which a gateway announces that it has made an event. */
const madeOne = 'events';

/** Makes the parts that the services of a gateway need if several gateways share its database. */
export function makeClusterParts(cluster: Cluster): LoneOrClusterParts {
  const { feed, leases, hints, paces } = cluster;
  return {
    copies: feed,
    duties: leases,
    otherEventSources: {
      everyMs: paces.beatMs,
      tell: () => hints.publish(madeOne),
      hear: (run) => hints.subscribe(madeOne, run),
    },
    runPayments: (on) => makeClusterPaymentEngine({ ...on, cluster }),
    openFaults: ({ identifiers }, store) =>
      openSharedFaults(identifiers, store, feed, (stored) => faultSchema.safeParse(stored).data),
    async everywhere(runtime, here) {
      const heardAll = hints !== noHints;
      return {
        emulators: new EmulatorsEverywhere({ runtime, hints, here }),
        journal: heardAll ? new MergedJournal(runtime, cluster) : runtime.journal,
        heardAll,
      };
    },
    connectedTerminals: async (poi, store) =>
      new Set([...poi.connectedTerminals(), ...(await readTerminalsConnectedAnywhere(store))]),
  };
}
