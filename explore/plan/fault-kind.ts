import type { ControlClient } from '../../client/control-client.ts';
import type { ShopperBehaviour } from '../../shared/emulator/frames.ts';
import type { PlannedFault } from './schedule.ts';

/** The actors at which something can go wrong, in the order of the report. */
export const faultGroups = [
  'POS link',
  'terminal',
  'host',
  'shopper',
  'gateway',
  'webhook',
  'POS crash',
] as const;
export type FaultGroup = (typeof faultGroups)[number];

/** The parts of a run's gateway and terminal that faults use. */
export interface FaultEnvironment {
  readonly control: ControlClient;
  /** The terminal's poi_id. */
  readonly terminal: string;
  /** The shopper that pays at the terminal; absent if the command presents cards by itself. */
  readonly shopper: ShopperBehaviour | undefined;
  /** The time limits of the terminal's waits for a card, for other input, and for the host, in milliseconds. */
  readonly limits: { readonly cardMs: number; readonly promptMs: number; readonly hostMs: number };
  /**
   * Kills the command when its request arrives, so that the request is lost (`before`), or after the gateway has
   * executed the request (`after`).
   */
  killAt(planned: PlannedFault, when: 'before' | 'after'): Promise<void>;
}

/** A kind of fault. */
export interface FaultKind {
  /** The first part of the names of these faults, up to the first hyphen. */
  readonly kind: string;
  readonly group: FaultGroup;
  /** The names of the faults of this kind that are tried at a moment. */
  appliesAt(moment: string): readonly string[];
  /** Whether a user may ask for this fault at a moment, even if explore does not try it there by itself. */
  fits(moment: string): boolean;
  /** Describes the fault in a sentence without the moment, such as `the answer is lost`. The caller adds the moment. */
  says(fault: string, moment: string): string;
  /**
   * For how long the fault may still have an effect after the command has ended, in virtual milliseconds; 0 if absent.
   */
  lastsMs?(fault: string): number;
  /** The real milliseconds by which the fault may make a run longer than the plain run; 0 if absent. */
  readonly realMs?: number;
  /** Whether the fault needs a gateway with a data folder. */
  readonly needsFolder?: boolean;
  arm(environment: FaultEnvironment, planned: PlannedFault): Promise<void>;
}
