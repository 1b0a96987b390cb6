import type { Change } from '../store/schema.ts';

/** A kind of work that one of several gateways does for all of them. */
export interface SharedWork {
  /** Takes up what is there: when this gateway gets the duty, then every second and whenever a gateway says that there is some. */
  sweep(): Promise<void>;
  /** Another gateway does it from now on. */
  forget(): void;
}

/** This gateway's part in such work. */
export interface Duty {
  /** For how long it still has the duty at least; 0 if another gateway may have it by now. */
  readonly leftMs: number;
  /** The same number as long as no other gateway had it; undefined without it. */
  readonly token: number | undefined;
  /** Refuses the batch it is in if another gateway has taken the duty. */
  held(): Change;
  /** There is work on disk: the gateway with the duty is to look for it now. */
  tell(): void;
}

/** Decides which gateway does what falls due. */
export interface Duties {
  /** Takes part in a kind of work that a gateway has for `lastsMs` at a time; undefined if all of it is this gateway's for good. */
  share(name: string, lastsMs: number, work: SharedWork): Duty | undefined;
}

/** The duties of a lone gateway, which has all of them. */
export const everyDuty: Duties = { share: () => undefined };
