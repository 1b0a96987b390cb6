import type { EndingReason } from './ending.ts';

/** A transition that ends the payment for `reason`. */
export function ending(reason: EndingReason) {
  return { target: 'ended', actions: { type: 'endBecause', params: { reason } } } as const;
}

/** The red key at a prompt (B38). */
export function cancelKey(reason: EndingReason) {
  return { guard: { type: 'isKey', params: { key: 'cancel' } }, ...ending(reason) } as const;
}

/** The merchant may end a payment at every state before authorizing (B54). */
export const abortable = { abort: ending('merchantAborted') } as const;

/** The card that is paying was pulled before the host was asked. */
export const pulled = {
  target: 'ended',
  actions: ['emptySlot', { type: 'endBecause', params: { reason: 'cardRemoved' } }],
} as const;

/** Pulling a card ends the payment where that card pays by its chip. */
export const pullable = {
  removed: [{ guard: 'paysByChip', ...pulled }, { actions: 'emptySlot' }],
} as const;
