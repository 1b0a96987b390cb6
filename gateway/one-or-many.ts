import type { JournalReader } from '../shared/journal.ts';
import type { Runtime } from '../shared/runtime.ts';
import type { EmulatorServer } from './control/emulator-server.ts';
import type { Emulators } from './control/emulators.ts';
import { type Copies, onlyCopies } from './engine/copies.ts';
import { type Duties, everyDuty } from './engine/duties.ts';
import type { OtherMakers } from './events/live-events.ts';
import { Faults } from './faults/faults.ts';
import { type RunPayments, runAllPayments } from './payments/running.ts';
import type { Store } from './store/store.ts';
import type { PoiServer } from './terminals/poi-server.ts';

/** What the services of a gateway meet of other gateways: none of a lone gateway's, which is constant here. */
export interface OneOrMany {
  /** Who else must know what is changed here. */
  readonly copies: Copies;
  /** Who does what falls due. */
  readonly duties: Duties;
  /** Who makes events beside this gateway. */
  readonly otherMakers: OtherMakers | undefined;
  /** Whose terminals' payments are run here. */
  readonly runPayments: RunPayments;
  openFaults(runtime: Runtime, store: Store): Promise<Faults>;
  /** What the control API reaches: the emulators and the journal of all gateways. */
  everywhere(runtime: Runtime, here: EmulatorServer): Promise<Everywhere>;
  /** The terminals that are connected now, at all gateways. */
  connectedTerminals(poi: PoiServer, store: Store): Promise<ReadonlySet<string>>;
}

interface Everywhere {
  readonly emulators: Emulators;
  readonly journal: JournalReader;
  /** The journal has what happens at every gateway. */
  readonly heardAll: boolean;
}

export const loneGateway: OneOrMany = {
  copies: onlyCopies,
  duties: everyDuty,
  otherMakers: undefined,
  runPayments: runAllPayments,
  openFaults: async ({ identifiers }) => new Faults(identifiers),
  everywhere: async ({ journal }, here) => ({ emulators: here, journal, heardAll: true }),
  connectedTerminals: async (poi) => new Set(poi.connectedTerminals()),
};
