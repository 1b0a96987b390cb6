import type { Language } from '../../shared/emulator/screen.ts';
import type { MomentPlans } from '../../shared/moment-plans.ts';
import type { CardCatalogue } from '../cards/catalogue.ts';
import type { Pacing } from '../payment/pacing.ts';
import type { TerminalMemory } from './memory.ts';
import type { LinkDependencies } from './reconnecting-link.ts';

/** A terminal's identity, and the key with which it connects to the gateway. */
export interface TerminalSettings {
  readonly poiId: string;
  readonly deviceKey: string;
  readonly storeName?: string;
  /** The merchant's language, for idle screens and cashier receipts. The default is English. */
  readonly language?: Language;
}

/** The objects and settings that a terminal needs. */
export interface TerminalDependencies extends LinkDependencies {
  /** The URL of the gateway's /poi. */
  readonly url: string;
  readonly memory: TerminalMemory;
  readonly cards: CardCatalogue;
  readonly pacing: Pacing;
  /**
   * Faults (such as a power cut) that are planned to happen at certain steps of payments on this process's terminals.
   */
  readonly moments: MomentPlans;
}
