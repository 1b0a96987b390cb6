import { makeAlphanumericText, type Random } from '../random.ts';

/**
 * Identifies one attempt of a link to connect (a dial). A gateway may handle a dial late. By then, the terminal may
 * have abandoned that dial and connected with another dial. Of two dials with the same `instance`, the one with the
 * lower count is older.
 */
export interface NumberedDial {
  /** A random text for the link. No other process has the same text, and no earlier run of this process had it. */
  readonly instance: string;
  /** The number of the dial among all dials of this link, from 1. */
  readonly count: number;
}

/**
 * If a new connection of a terminal replaces the former connection, the former one is closed with one of these reasons.
 * `yours`: the new connection comes from a later dial of the same link. `another`: the new connection comes from a dial
 * of another link or process.
 */
export const displacementReasons = { yours: 'yours', another: "another's" } as const;

/** The number of characters in the random text of a link. */
const instanceLength = 16;
const anInstance = /^[\w.-]{1,64}$/;
const aCount = /^[1-9]\d{0,14}$/;

export function makeDialInstanceId(random: Random): string {
  return makeAlphanumericText(random, instanceLength);
}

export function makeDialHeaders({ instance, count }: NumberedDial): Record<string, string> {
  return { 'pinpad-instance': instance, 'pinpad-dial': String(count) };
}

/**
 * Reads the dial from headers. Gives undefined if the headers contain no dial, as in requests of an older terminal, or
 * if the dial cannot be read.
 */
export function readDialHeaders(
  headers: Record<string, string | string[] | undefined>,
): NumberedDial | undefined {
  const instance = headers['pinpad-instance'];
  const count = headers['pinpad-dial'];
  if (typeof instance !== 'string' || typeof count !== 'string') return undefined;
  return anInstance.test(instance) && aCount.test(count) ? { instance, count: Number(count) } : undefined;
}

/** Whether `other` is a later dial of the link that made `dial`. */
export function isOlderDial(dial: NumberedDial | undefined, other: NumberedDial | undefined): boolean {
  return isOfSameLink(dial, other) && (dial?.count ?? 0) < (other?.count ?? 0);
}

/** Gives the reason with which the connection of `dial` is closed if the connection of the dial `by` replaces it. */
export function chooseDisplacementReason(
  dial: NumberedDial | undefined,
  by: NumberedDial | undefined,
): string {
  return isOfSameLink(dial, by) ? displacementReasons.yours : displacementReasons.another;
}

function isOfSameLink(one: NumberedDial | undefined, other: NumberedDial | undefined): boolean {
  return one !== undefined && one.instance === other?.instance;
}
