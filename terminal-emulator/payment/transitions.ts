import { and } from 'xstate';
import type { TerminalKey } from '../../shared/emulator/screen.ts';
import type { DisplayEvent } from '../../shared/nexo/enums.ts';
import type { EndingReason } from './ending.ts';

/* Transitions and actions that several states of the payment machine share. */

/** The action that reports progress to the display of the POS. */
export function tellPosAction(event: DisplayEvent) {
  return { type: 'notify', params: { event } } as const;
}

/** The guard that checks whether the pressed key is `key`. */
export function keyGuard(key: TerminalKey) {
  return { type: 'isKey', params: { key } } as const;
}

/** The transition that ends the payment for `reason`. */
export function endingTransition(reason: EndingReason) {
  return { target: 'ended', actions: { type: 'endBecause', params: { reason } } } as const;
}

/** The transition for the red key at a prompt (B38). */
export function cancelKeyTransition(reason: EndingReason) {
  return { guard: keyGuard('cancel'), ...endingTransition(reason) } as const;
}

/** The transition for an abort by the merchant, which is possible in every state before `authorizing` (B54). */
export const abortTransition = { abort: endingTransition('merchantAborted') } as const;

/** The ending for a card that was pulled out before the terminal asked the host. */
export const cardPulledEnding = {
  target: 'ended',
  actions: ['emptySlot', { type: 'endBecause', params: { reason: 'cardRemoved' } }],
} as const;

/** The transition for a card that is pulled out. It ends the payment if that card was paying by its chip. */
export const cardPulledTransition = {
  removed: [{ guard: 'paysByChip', ...cardPulledEnding }, { actions: 'emptySlot' }],
} as const;

/** The state after a card is presented: the terminal reads the card, or has read it at once. */
export type ReadingState = 'readingCard' | 'cardRead';

/** The transition for a card that is inserted. */
export function cardInsertedTransition(target: ReadingState) {
  const actions = ['fillSlot', 'useSlot', tellPosAction('CARD_INSERTED')] as const;
  return { guard: 'offersChip', target, actions } as const;
}

/** The transition for a card that is swiped. */
export function cardSwipedTransition(target: ReadingState) {
  const actions = ['useSwiped', tellPosAction('CARD_SWIPED')] as const;
  return { guard: 'offersStripe', target, actions } as const;
}

/**
 * The part of a state's definition that makes the machine go to `next` after `delay`. If the delay takes no time (`ms`
 * is 0), the machine leaves the state at once, without a timer.
 */
export function leaveAfter<const Next>(delay: 'errorTime' | 'resultTime', ms: number, next: Next) {
  if (ms === 0) return { always: next };
  return { after: { [delay]: next } as { readonly [delay in 'errorTime' | 'resultTime']?: Next } };
}

/** The ending after the last wrong PIN. */
export const outOfPinTriesEnding = {
  target: 'ended',
  actions: ['blockCard', { type: 'endBecause', params: { reason: 'wrongPin' } }],
} as const;

type First = 'print' | 'printApproved';

/**
 * The transitions that begin the next payment, even if the screen still shows the result of the previous payment.
 * `first` lists actions that belong to the previous payment; they run before the next payment begins.
 */
export function makeBeginPaymentTransitions(...first: First[]) {
  const actions = [...first, 'begin', tellPosAction('TENDER_CREATED')] as const;
  return [
    { guard: 'beginsWithTip', target: 'tip', actions },
    ...makeBeginReversalTransitions(...first),
    { guard: 'slotFree', target: 'presentCard', actions },
  ] as const;
}

/** The transitions that begin a reversal. A reversal needs no card, so a card in the slot does not delay it (B476). */
export function makeBeginReversalTransitions(...first: First[]) {
  const actions = [...first, 'begin', tellPosAction('TENDER_CREATED')] as const;
  return [
    {
      guard: 'lacksItsCard',
      target: 'ended',
      actions: [...actions, { type: 'endBecause', params: { reason: 'cardNeeded' } }],
    },
    { guard: 'takesNoCard', target: 'authorizing', actions },
  ] as const;
}

/**
 * The transition for a tap if, by the pacing, reading a tapped card takes no time. It applies only if the terminal can
 * accept the card at once.
 */
export const instantTapTransition = {
  guard: 'tapPays',
  target: 'authorizing',
  actions: ['readTapped', tellPosAction('CARD_PRESENTED'), tellPosAction('APPLICATION_SELECTED')],
} as const;

/** The actions that send the result of a payment. They do not wait until the card is removed (B35). */
export const concludingActions = ['conclude', tellPosAction('TENDER_FINAL')] as const;

/** The end of an approved payment: the state that follows, and the actions that print the receipts. */
export interface AfterApprovalTransition {
  target: 'waiting' | 'printing';
  actions: ('print' | ReturnType<typeof tellPosAction>)[];
}

/**
 * The transitions after an approval if the pacing does not show the result. The machine then goes to the next step at
 * once.
 */
export function instantApprovalTransitions(printing: AfterApprovalTransition) {
  const { target } = printing;
  const noted = ['noteAnswer', ...concludingActions] as const;
  return [
    { guard: and(['approves', 'slotTaken']), target: 'removeCard', actions: noted },
    { guard: 'approves', target, actions: [...noted, ...printing.actions] },
  ] as const;
}
