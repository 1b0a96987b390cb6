import type { ControlClient } from '../../client/control-client.ts';
import type { AutomaticShopperSettings } from '../../shared/emulator/frames.ts';
import type { PlannedFault } from './schedule.ts';

/** The actors of a sale that can have faults, in the order of the report. */
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

/**
 * The parts of a run that are needed to set its faults. The command in a run is the point of sale that is explored.
 */
export interface FaultEnvironment {
  readonly control: ControlClient;
  /** The terminal's poi_id. */
  readonly terminal: string;
  /** The shopper that pays at the terminal; absent if the command presents cards by itself. */
  readonly shopper: AutomaticShopperSettings | undefined;
  /** How long the terminal waits for a card, for other input, and for the host, in milliseconds. */
  readonly limits: { readonly cardMs: number; readonly promptMs: number; readonly hostMs: number };
  /**
   * Sets the fault that kills the command at a request. With `before`, the command dies when its request arrives, and
   * the request is lost. With `after`, the command dies when the gateway has executed the request.
   */
  killAt(planned: PlannedFault, when: 'before' | 'after'): Promise<void>;
}

/** A kind of fault. */
export interface FaultKind {
  /**
   * The part of the faults' names before the first hyphen. For example, `powerOff` is the kind of `powerOff-never`.
   */
  readonly kind: string;
  readonly group: FaultGroup;
  /**
   * The names of the faults of this kind that explore tries at a moment. A moment has a name such as `pin` or
   * `payment-request`.
   */
  appliesAt(moment: string): readonly string[];
  /**
   * Whether this kind of fault is possible at a moment. Explore may leave out a possible fault unless the user names
   * it.
   */
  fits(moment: string): boolean;
  /** Describes the fault in a sentence without the moment, such as `the answer is lost`. The caller adds the moment. */
  says(fault: string, moment: string): string;
  /**
   * The virtual milliseconds during which the fault may still have an effect after the command has ended; 0 if absent.
   */
  lastsMs?(fault: string): number;
  /** The real milliseconds by which the fault may make a run longer than the plain run; 0 if absent. */
  readonly realMs?: number;
  /** Whether the fault needs a gateway with a data folder. */
  readonly needsFolder?: boolean;
  arm(environment: FaultEnvironment, planned: PlannedFault): Promise<void>;
}
