import type { JournalReader } from '../shared/journal.ts';
import type { Runtime } from '../shared/runtime.ts';
import type { EmulatorServer } from './control/emulator-server.ts';
import type { Emulators } from './control/emulators.ts';
import { type Copies, onlyCopies } from './engine/copies.ts';
import { type Duties, loneGatewayDuties } from './engine/duties.ts';
import type { OtherMakers } from './events/live-events.ts';
import { Faults } from './faults/faults.ts';
import { type RunPayments, runAllPayments } from './payments/running.ts';
import type { Store } from './store/store.ts';
import type { PoiServer } from './terminals/poi-server.ts';

/** The parts of services that concern other gateways. For a lone gateway they are the constants here. */
export interface OneOrMany {
  /** Tells the other gateways what was changed here. */
  readonly copies: Copies;
  /** Decides which gateway does what falls due. */
  readonly duties: Duties;
  /** The other gateways that make events; undefined for a lone gateway. */
  readonly otherMakers: OtherMakers | undefined;
  /** Runs the payments of the terminals that this gateway owns. */
  readonly runPayments: RunPayments;
  openFaults(runtime: Runtime, store: Store): Promise<Faults>;
  /** Gives what the control API reaches: the emulators and the journal of all gateways. */
  everywhere(runtime: Runtime, here: EmulatorServer): Promise<Everywhere>;
  /** Gives the terminals that are connected now, at all gateways. */
  connectedTerminals(poi: PoiServer, store: Store): Promise<ReadonlySet<string>>;
}

interface Everywhere {
  readonly emulators: Emulators;
  readonly journal: JournalReader;
  /** Whether the journal has the entries of every gateway. */
  readonly heardAll: boolean;
}

export const loneGateway: OneOrMany = {
  copies: onlyCopies,
  duties: loneGatewayDuties,
  otherMakers: undefined,
  runPayments: runAllPayments,
  openFaults: async ({ identifiers }) => new Faults(identifiers),
  everywhere: async ({ journal }, here) => ({ emulators: here, journal, heardAll: true }),
  connectedTerminals: async (poi) => new Set(poi.connectedTerminals()),
};
