import type { ControlClient } from '../../client/control-client.ts';
import type { Shopper } from '../../shared/emulator/frames.ts';
import type { Planned } from './planned.ts';

/** The actors of which something can go wrong, in the order in which the report counts what was covered. */
export const groups = ['POS link', 'terminal', 'host', 'shopper', 'gateway', 'webhook', 'POS crash'] as const;
export type Group = (typeof groups)[number];

/** Where a run takes place, as far as faults act on it. */
export interface Ground {
  readonly control: ControlClient;
  /** The terminal's poi_id. */
  readonly terminal: string;
  /** Who pays at the terminal; absent if the command presents cards by itself. */
  readonly shopper: Shopper | undefined;
  /** The longest that each wait at the terminal and at the host may take, milliseconds. */
  readonly limits: { readonly cardMs: number; readonly promptMs: number; readonly hostMs: number };
  /** Kills the command when its request arrives, which is lost (`before`), or when that was executed (`after`). */
  killAt(planned: Planned, when: 'before' | 'after'): Promise<void>;
}

/** A kind of thing that goes wrong. */
export interface FaultKind {
  /** What stands before the first hyphen of its faults' names. */
  readonly kind: string;
  readonly group: Group;
  /** The names of the faults of this kind that are tried at a moment. */
  appliesAt(moment: string): readonly string[];
  /** Whether it can be asked for at a moment, also where it is not tried by itself. */
  fits(moment: string): boolean;
  /** What happens at a moment, as a sentence that goes on with when: `the answer is lost`. */
  says(fault: string, moment: string): string;
  /** How long something of it may still be under way when the command has ended, in virtual milliseconds. */
  lastsMs(fault: string): number;
  /** Real milliseconds that it may take beyond what the plain run took. */
  readonly realMs: number;
  /** It needs a data folder. */
  readonly needsFolder?: boolean;
  arm(ground: Ground, planned: Planned): Promise<void>;
}
