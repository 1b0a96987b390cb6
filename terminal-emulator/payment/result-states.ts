import type { Pacing } from './pacing.ts';
import { paymentMachineSetup } from './payment-setup.ts';
import {
  type AfterApprovalTransition,
  concludingActions,
  instantApprovalTransitions,
  leaveAfter,
  makeBeginPaymentTransitions,
  makeBeginReversalTransitions,
  outOfPinTriesEnding,
  tellPosAction,
} from './transitions.ts';

/** The host decides. From here on no abort and no key ends the payment (B54). */
function makeAuthorizingState(pacing: Pacing, afterApproval: AfterApprovalTransition) {
  const approvals =
    pacing.resultMs === 0
      ? instantApprovalTransitions(afterApproval)
      : ([{ guard: 'approves', target: 'approved', actions: 'noteAnswer' }] as const);
  return paymentMachineSetup.createStateConfig({
    tags: 'host',
    entry: 'authorize',
    on: {
      'host.answered': [
        ...approvals,
        { guard: 'asksPinAgain', target: 'pinWrong', actions: 'loseTry' },
        {
          guard: 'findsPinWrong',
          ...outOfPinTriesEnding,
          actions: ['noteAnswer', ...outOfPinTriesEnding.actions],
        },
        { target: 'declined', actions: ['noteAnswer', 'conclude'] },
      ],
      removed: [
        {
          guard: 'paysByChip',
          target: 'ended',
          actions: [
            'emptySlot',
            { type: 'noteReversal', params: { why: 'CardRemoved' } },
            { type: 'endBecause', params: { reason: 'cardRemoved' } },
          ],
        },
        { actions: 'emptySlot' },
      ],
    },
    after: {
      hostTime: {
        target: 'ended',
        actions: [
          { type: 'noteReversal', params: { why: 'Timeout' } },
          { type: 'endBecause', params: { reason: 'hostSilent' } },
        ],
      },
    },
  });
}

/** The terminal itself ended the payment. The POS receives the result before the shopper sees it. */
const ended = paymentMachineSetup.createStateConfig({
  tags: 'passing',
  entry: 'conclude',
  always: [
    { guard: { type: 'isShownAs', params: { screen: 'declined' } }, target: 'declined' },
    { guard: { type: 'isShownAs', params: { screen: 'cardNotAccepted' } }, target: 'cardNotAccepted' },
    { target: 'cancelled' },
  ],
});

/** Waits until the shopper takes the card out of the slot. */
function makeRemoveCardState(afterApproval: AfterApprovalTransition) {
  return paymentMachineSetup.createStateConfig({
    tags: 'person',
    on: {
      start: makeBeginReversalTransitions('printApproved'),
      removed: [
        {
          guard: 'isApproved',
          target: afterApproval.target,
          actions: ['emptySlot', tellPosAction('CARD_REMOVED'), ...afterApproval.actions],
        },
        { target: 'waiting', actions: ['emptySlot', tellPosAction('CARD_REMOVED')] },
      ],
    },
  });
}

const printing = paymentMachineSetup.createStateConfig({
  tags: 'pause',
  entry: ['print', tellPosAction('PRINT_RECEIPT')],
  exit: tellPosAction('RECEIPT_PRINTED'),
  on: { start: makeBeginPaymentTransitions() },
  after: { printTime: 'waiting' },
});

/** The states of the payment machine from the request to the host to the printing of the receipts. */
export function makeResultStates(pacing: Pacing) {
  const afterApproval = afterApprovalTransition(pacing);
  /** Leaves a screen with a result. If a card is in the slot, the shopper has to take it out first. */
  const leaveResult = (next: AfterApprovalTransition | { target: 'waiting' }) =>
    leaveAfter('resultTime', pacing.resultMs, [{ guard: 'slotTaken', target: 'removeCard' }, next]);
  /** A screen that shows why the payment failed. */
  const failed = paymentMachineSetup.createStateConfig({
    tags: 'pause',
    entry: tellPosAction('TENDER_FINAL'),
    on: { start: makeBeginPaymentTransitions() },
    ...leaveResult({ target: 'waiting' }),
  });
  return {
    authorizing: makeAuthorizingState(pacing, afterApproval),
    ended,
    approved: paymentMachineSetup.createStateConfig({
      tags: 'pause',
      entry: concludingActions,
      on: { start: makeBeginPaymentTransitions('print') },
      ...leaveResult(afterApproval),
    }),
    declined: failed,
    cancelled: failed,
    cardNotAccepted: failed,
    removeCard: makeRemoveCardState(afterApproval),
    printing,
  };
}

/** The last step of an approved payment, in which its receipts are printed. */
function afterApprovalTransition(pacing: Pacing): AfterApprovalTransition {
  if (pacing.printMs > 0) return { target: 'printing', actions: [] };
  return {
    target: 'waiting',
    actions: ['print', tellPosAction('PRINT_RECEIPT'), tellPosAction('RECEIPT_PRINTED')],
  };
}
