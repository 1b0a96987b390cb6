import type { ControlClient } from '../../client/control-client.ts';
import type { Shopper } from '../../shared/emulator/frames.ts';
import type { Planned } from './planned.ts';

/** The actors at which something can go wrong, in the order of the report. */
export const groups = ['POS link', 'terminal', 'host', 'shopper', 'gateway', 'webhook', 'POS crash'] as const;
export type Group = (typeof groups)[number];

/** The part of a run's ground on which faults act. */
export interface Ground {
  readonly control: ControlClient;
  /** The terminal's poi_id. */
  readonly terminal: string;
  /** The shopper that pays at the terminal; absent if the command presents cards by itself. */
  readonly shopper: Shopper | undefined;
  /** The longest that each wait at the terminal and at the host may take, milliseconds. */
  readonly limits: { readonly cardMs: number; readonly promptMs: number; readonly hostMs: number };
  /** Kills the command when its request arrives, which is lost (`before`), or when that was executed (`after`). */
  killAt(planned: Planned, when: 'before' | 'after'): Promise<void>;
}

/** A kind of fault. */
export interface FaultKind {
  /** The part of its faults' names before the first hyphen. */
  readonly kind: string;
  readonly group: Group;
  /** The names of the faults of this kind that are tried at a moment. */
  appliesAt(moment: string): readonly string[];
  /** Whether it can be asked for at a moment, even if it is not tried there without being asked for. */
  fits(moment: string): boolean;
  /** Describes the fault at a moment, as a sentence that continues with the time: `the answer is lost`. */
  says(fault: string, moment: string): string;
  /** How long it may still act when the command has ended, in virtual milliseconds. */
  lastsMs(fault: string): number;
  /** Real milliseconds by which it may make a run longer than the plain run. */
  readonly realMs: number;
  /** Whether it needs a data folder. */
  readonly needsFolder?: boolean;
  arm(ground: Ground, planned: Planned): Promise<void>;
}
