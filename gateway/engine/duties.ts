import type { RowChange } from '../store/schema.ts';

/** A kind of work that concerns all gateways. One gateway does it for all of them. */
export interface SharedWork {
  /**
   * Does all work that is waiting. It is called when this gateway gets the duty, then every second, and whenever a
   * gateway announces new work.
   */
  sweep(): Promise<void>;
  /** Called when another gateway has taken over this work. */
  forget(): void;
}

/** The right and the task to do a shared kind of work. Only one gateway at a time has the duty and does the work. */
export interface Duty {
  /** The time in ms for which this gateway certainly keeps the duty; 0 if another gateway may already have the duty. */
  readonly leftMs: number;
  /**
   * A number that changes each time another gateway takes the duty over. So if the number is the same as before, no
   * other gateway has had the duty since then. The number is undefined if this gateway does not have the duty.
   */
  readonly token: number | undefined;
  /**
   * Gives a change to add to a batch of writes. With this change in the batch, the database refuses the batch if
   * another gateway has the duty.
   */
  held(): RowChange;
  /** Makes the gateway that has the duty look for work now, because new work was stored. */
  tell(): void;
}

/** Decides which gateway does the work that is due. */
export interface DutyAssigner {
  /**
   * Makes this gateway a candidate for a kind of work. A gateway gets the duty for `lastsMs` at a time. For a lone
   * gateway the result is undefined, because a lone gateway does all the work itself.
   */
  share(name: string, lastsMs: number, work: SharedWork): Duty | undefined;
}

/** The implementation for a lone gateway, which does all the work itself. */
export const loneGatewayDutyAssigner: DutyAssigner = { share: () => undefined };
