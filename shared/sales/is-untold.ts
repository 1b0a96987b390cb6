import type { Sale, SaleAttempt } from './sale.ts';

/**
 * Whether a sale has ended and has moved money, but its point of sale received no outcome. All code that reports such
 * sales uses this function (B241).
 */
export function isSaleUntold({ told, charged, own, endedAt, calls, attempts }: Sale): boolean {
  const isOver = endedAt !== null && calls.every(({ end }) => end !== 'open');
  const isMoved = (charged ?? 0) > 0 || attempts.some((each) => each.told === 'untold' && isGivenBack(each));
  return told === 'untold' && isMoved && own === null && isOver;
}

function isGivenBack({ charged }: Pick<SaleAttempt, 'charged'>): boolean {
  return (charged ?? 0) < 0;
}
