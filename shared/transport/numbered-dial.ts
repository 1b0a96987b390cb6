import { alphanumeric, type Random } from '../random.ts';

/**
 * The link that a dial belongs to, and the dial's number. A dial may be handled long after it was made, after its
 * terminal has given it up and dialled again. Of two dials of an instance, the one with the lower count is older.
 */
export interface NumberedDial {
  /** Drawn at random when the link was made: no other process, and no former run of this one, has the same. */
  readonly instance: string;
  /** Counts the dials of this link, from 1. */
  readonly count: number;
}

/**
 * Why a connection was displaced, as the reason of its close says: by a later dial of the same link, or by another
 * process.
 */
export const displacedBy = { yours: 'yours', another: "another's" } as const;

/** The length of an instance that is drawn here, in characters. */
const instanceLength = 16;
const anInstance = /^[\w.-]{1,64}$/;
const aCount = /^[1-9]\d{0,14}$/;

export function drawInstance(random: Random): string {
  return alphanumeric(random, instanceLength);
}

export function dialHeaders({ instance, count }: NumberedDial): Record<string, string> {
  return { 'pinpad-instance': instance, 'pinpad-dial': String(count) };
}

/**
 * Reads the dial from headers. Gives undefined if they have none, as those of an older terminal, or if it cannot be
 * read.
 */
export function dialIn(headers: Record<string, string | string[] | undefined>): NumberedDial | undefined {
  const instance = headers['pinpad-instance'];
  const count = headers['pinpad-dial'];
  if (typeof instance !== 'string' || typeof count !== 'string') return undefined;
  return anInstance.test(instance) && aCount.test(count) ? { instance, count: Number(count) } : undefined;
}

/** Whether the link of `dial` has dialled again since, as `other` shows. */
export function isOlder(dial: NumberedDial | undefined, other: NumberedDial | undefined): boolean {
  return isOfSameLink(dial, other) && (dial?.count ?? 0) < (other?.count ?? 0);
}

/** The reason that a connection is told if a connection of dial `by` displaces it. */
export function reasonToDisplace(dial: NumberedDial | undefined, by: NumberedDial | undefined): string {
  return isOfSameLink(dial, by) ? displacedBy.yours : displacedBy.another;
}

function isOfSameLink(one: NumberedDial | undefined, other: NumberedDial | undefined): boolean {
  return one !== undefined && one.instance === other?.instance;
}
