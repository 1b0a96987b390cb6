import { payment } from './payment-setup.ts';
import { abortable, cancelKey, ending, pullable, pulled } from './transitions.ts';

/** A co-badged card in the slot asks which of its applications pays. */
export const applicationChoice = payment.createStateConfig({
  entry: { type: 'notify', params: { event: 'WAIT_FOR_APP_SELECTION' } },
  on: {
    ...abortable,
    removed: pulled,
    key: [
      cancelKey('shopperCancelled'),
      { guard: 'choosesApplication', target: 'cardRead', actions: 'chooseApplication' },
    ],
  },
  after: { promptTime: ending('promptTimedOut') },
});

/** The card's application is settled; does its holder have to prove anything before the host is asked? */
export const verifying = payment.createStateConfig({
  entry: { type: 'notify', params: { event: 'APPLICATION_SELECTED' } },
  always: [
    { guard: 'asksForPin', target: 'pin' },
    { target: 'authorizing', actions: 'noteVerification' },
  ],
});

const wrongPin = {
  target: 'ended',
  actions: ['blockCard', { type: 'endBecause', params: { reason: 'wrongPin' } }],
} as const;
const pinEntered = { type: 'notify', params: { event: 'PIN_ENTERED' } } as const;

/** Each try has its own 60 s (B40). An offline PIN is checked here, an online one by the issuer. */
export const pin = payment.createStateConfig({
  entry: ['clearTyped', { type: 'notify', params: { event: 'WAIT_FOR_PIN' } }],
  on: {
    ...abortable,
    ...pullable,
    key: [
      cancelKey('pinCancelled'),
      { guard: { type: 'isKey', params: { key: 'clear' } }, actions: 'erase' },
      { guard: 'isDigit', actions: { type: 'type', params: { into: 'pin' } } },
      {
        guard: { type: 'typedEnough', params: { digits: 4 } },
        target: 'checkingPin',
        actions: pinEntered,
      },
    ],
  },
  after: { promptTime: ending('pinTimedOut') },
});

export const checkingPin = payment.createStateConfig({
  always: [
    { guard: 'asksIssuer', target: 'authorizing', actions: 'noteOnlinePin' },
    { guard: 'pinIsRight', target: 'authorizing', actions: 'noteOfflinePin' },
    { guard: 'hasTriesAfterThis', target: 'pinWrong', actions: 'loseTry' },
    wrongPin,
  ],
});

export const pinWrong = payment.createStateConfig({
  on: { ...abortable, ...pullable, key: cancelKey('pinCancelled') },
  always: { guard: 'takesNoTimeForError', target: 'pin' },
  after: { errorTime: 'pin' },
});

/** The host decides; no abort and no key changes that any more (B54). */
export const authorizing = payment.createStateConfig({
  entry: 'authorize',
  on: {
    'host.answered': [
      { guard: 'approves', target: 'approved', actions: 'noteAnswer' },
      { guard: 'asksPinAgain', target: 'pinWrong', actions: 'loseTry' },
      { guard: 'findsPinWrong', ...wrongPin, actions: ['noteAnswer', ...wrongPin.actions] },
      { target: 'declined', actions: ['noteAnswer', 'conclude'] },
    ],
    removed: [
      {
        guard: 'paysByChip',
        target: 'ended',
        actions: [
          'emptySlot',
          { type: 'takeBack', params: { why: 'CardRemoved' } },
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
        { type: 'takeBack', params: { why: 'Timeout' } },
        { type: 'endBecause', params: { reason: 'hostSilent' } },
      ],
    },
  },
});
