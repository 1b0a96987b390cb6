import type { Sale } from './sale.ts';

/** Money was taken in a sale that is over, and its point of sale was told no outcome of it: the one rule for all who say so (B241). */
export function isUntold({ told, charged, own, endedAt, calls }: Sale): boolean {
  const isOver = endedAt !== null && calls.every(({ end }) => end !== 'open');
  return told === 'untold' && (charged ?? 0) > 0 && own === null && isOver;
}
