import { alphanumeric, type Random } from '../random.ts';

/**
 * The link that a dial belongs to, and the dial's number. A dial may be handled long after it was made, when its
 * terminal has given it up and dialled again. Of two dials of one instance, the one with the lower count is older.
 */
export interface NumberedDial {
  /** Drawn at random when the link was made: no other process, and no former run of this one, has the same. */
  readonly instance: string;
  /** Counts the dials of this link, from 1. */
  readonly count: number;
}

/**
 * Why a connection was displaced, as the reason of its close says it: by a later dial of the same link, or by another
 * process.
 */
export const displacedBy = { yours: 'yours', another: "another's" } as const;

/** The length of an instance that this program draws, in characters. */
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
 * Reads the dial from headers. Gives undefined if they have none, like those of an older terminal, or if the dial
 * cannot be read.
 */
export function dialIn(headers: Record<string, string | string[] | undefined>): NumberedDial | undefined {
  const instance = headers['pinpad-instance'];
  const count = headers['pinpad-dial'];
  if (typeof instance !== 'string' || typeof count !== 'string') return undefined;
  return anInstance.test(instance) && aCount.test(count) ? { instance, count: Number(count) } : undefined;
}

/** Whether the link of `dial` has dialled again since then, judging by `other`. */
export function isOlder(dial: NumberedDial | undefined, other: NumberedDial | undefined): boolean {
  return isOfSameLink(dial, other) && (dial?.count ?? 0) < (other?.count ?? 0);
}

/** Gives the reason that is sent to a connection when a connection of dial `by` displaces it. */
export function reasonToDisplace(dial: NumberedDial | undefined, by: NumberedDial | undefined): string {
  return isOfSameLink(dial, by) ? displacedBy.yours : displacedBy.another;
}

function isOfSameLink(one: NumberedDial | undefined, other: NumberedDial | undefined): boolean {
  return one !== undefined && one.instance === other?.instance;
}
