import type { JournalReader } from '../shared/journal.ts';
import type { Runtime } from '../shared/runtime.ts';
import type { EmulatorServer } from './control/emulator-server.ts';
import type { Emulators } from './control/emulators.ts';
import { type DutyAssigner, loneGatewayDutyAssigner } from './engine/duties.ts';
import { loneGatewayCopyUpdater, type MemoryCopyUpdater } from './engine/memory-copies.ts';
import type { OtherEventSources } from './events/live-events.ts';
import { Faults } from './faults/faults.ts';
import { makeLoneGatewayPaymentEngine, type PaymentEngineMaker } from './payments/running.ts';
import type { GatewayStore } from './store/store.ts';
import type { PoiServer } from './terminals/poi-server.ts';

/**
 * The parts of the services that differ between a lone gateway and several gateways. A lone gateway uses
 * {@link loneGatewayParts}.
 */
export interface LoneOrClusterParts {
  /**
   * Keeps rows in memory. Tells the other gateways which rows this gateway has changed, and learns which rows the
   * other gateways have changed.
   */
  readonly copies: MemoryCopyUpdater;
  /** Decides which gateway does the work that is due. */
  readonly duties: DutyAssigner;
  /** Reports the events that other gateways make; undefined for a lone gateway. */
  readonly otherEventSources: OtherEventSources | undefined;
  /** Makes the engine that runs the payments of this gateway's terminals. */
  readonly runPayments: PaymentEngineMaker;
  openFaults(runtime: Runtime, store: GatewayStore): Promise<Faults>;
  /** Gives the emulators and the journal of all gateways. The control API shows them. */
  everywhere(runtime: Runtime, here: EmulatorServer): Promise<Everywhere>;
  /** Gives access to the emulators and the journal entries of all gateways, which the control API shows. */
  connectedTerminals(poi: PoiServer, store: GatewayStore): Promise<ReadonlySet<string>>;
}

interface Everywhere {
  readonly emulators: Emulators;
  readonly journal: JournalReader;
  /** Whether the journal has the entries of all gateways. */
  readonly heardAll: boolean;
}

export const loneGatewayParts: LoneOrClusterParts = {
  copies: loneGatewayCopyUpdater,
  duties: loneGatewayDutyAssigner,
  otherEventSources: undefined,
  runPayments: makeLoneGatewayPaymentEngine,
  openFaults: async ({ identifiers }) => new Faults(identifiers),
  everywhere: async ({ journal }, here) => ({ emulators: here, journal, heardAll: true }),
  connectedTerminals: async (poi) => new Set(poi.connectedTerminals()),
};
