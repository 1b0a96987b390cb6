import type { Change } from '../store/schema.ts';

/** A kind of work that one of several gateways does for all of them. */
export interface SharedWork {
  /**
   * Takes up the present work: when this gateway gets the duty, then every second, and whenever a gateway says that
   * there is some.
   */
  sweep(): Promise<void>;
  /** Called when another gateway has taken over this work. */
  forget(): void;
}

/** This gateway's part in such work. */
export interface Duty {
  /** For how long this gateway has the duty at least; 0 if another gateway may have it by now. */
  readonly leftMs: number;
  /** A number that stays the same until another gateway has had the duty; undefined without the duty. */
  readonly token: number | undefined;
  /** A change that makes the database refuse its batch if another gateway has taken the duty. */
  held(): Change;
  /** Has the gateway with the duty look for work now, because some was stored. */
  tell(): void;
}

/** Decides which gateway does what falls due. */
export interface Duties {
  /**
   * Takes part in a kind of work that a gateway has for `lastsMs` at a time. Gives undefined if a lone gateway always
   * has all of it.
   */
  share(name: string, lastsMs: number, work: SharedWork): Duty | undefined;
}

/** The duties of a lone gateway, which has all of them. */
export const loneGatewayDuties: Duties = { share: () => undefined };
