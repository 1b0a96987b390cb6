import type { Change } from '../store/schema.ts';

/** A kind of work that one of several gateways does for all of them. */
export interface SharedWork {
  /**
   * Does the work that there is. It is called when this gateway gets the duty, then every second, and whenever a
   * gateway announces new work.
   */
  sweep(): Promise<void>;
  /** Called when another gateway has taken over this work. */
  forget(): void;
}

/** This gateway's part in a shared kind of work. One gateway at a time has the duty, and does the work. */
export interface Duty {
  /**
   * This gateway has the duty for at least this many ms. The value is 0 if another gateway may have the duty by now.
   */
  readonly leftMs: number;
  /**
   * A number that changes only if another gateway has had the duty meanwhile; undefined if this gateway does not have
   * the duty.
   */
  readonly token: number | undefined;
  /** Gives a change to add to a batch. With it the database refuses the batch if another gateway has the duty. */
  held(): Change;
  /** Makes the gateway that has the duty look for work now, because new work was stored. */
  tell(): void;
}

/** Decides which gateway does the work that is due. */
export interface Duties {
  /**
   * Makes this gateway a candidate for a kind of work. A gateway has the duty for `lastsMs` at a time. Returns
   * undefined at a lone gateway, which does all the work.
   */
  share(name: string, lastsMs: number, work: SharedWork): Duty | undefined;
}

/** Stands for the duties of a lone gateway, which does all the work. */
export const loneGatewayDuties: Duties = { share: () => undefined };
