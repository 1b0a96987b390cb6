import type { Pacing } from './pacing.ts';
import { paymentMachineSetup } from './payment-setup.ts';
import {
  abortTransition,
  cancelKeyTransition,
  cardPulledTransition,
  endingTransition,
  keyGuard,
  leaveAfter,
  outOfPinTriesEnding,
  tellPosAction,
} from './transitions.ts';

/** Each PIN try may take 60 s (B40). The terminal checks an offline PIN here, the issuer an online PIN. */
const pin = paymentMachineSetup.createStateConfig({
  tags: 'person',
  entry: ['clearTyped', tellPosAction('WAIT_FOR_PIN')],
  on: {
    ...abortTransition,
    ...cardPulledTransition,
    key: [
      cancelKeyTransition('pinCancelled'),
      { guard: keyGuard('clear'), actions: 'erase' },
      { guard: 'isDigit', actions: { type: 'type', params: { into: 'pin' } } },
      {
        guard: { type: 'typedEnough', params: { digits: 4 } },
        target: 'checkingPin',
        actions: tellPosAction('PIN_ENTERED'),
      },
    ],
  },
  after: { promptTime: endingTransition('pinTimedOut') },
});

const checkingPin = paymentMachineSetup.createStateConfig({
  tags: 'passing',
  always: [
    { guard: 'asksIssuer', target: 'authorizing', actions: 'noteOnlinePin' },
    { guard: 'pinIsRight', target: 'authorizing', actions: 'noteOfflinePin' },
    { guard: 'hasTriesAfterThis', target: 'pinWrong', actions: 'loseTry' },
    outOfPinTriesEnding,
  ],
});

/** The states of the payment machine in which the shopper types a PIN. */
export function makePinStates(pacing: Pacing) {
  const pinWrong = paymentMachineSetup.createStateConfig({
    tags: 'pause',
    on: { ...abortTransition, ...cardPulledTransition, key: cancelKeyTransition('pinCancelled') },
    ...leaveAfter('errorTime', pacing.errorMs, { target: 'pin' }),
  });
  return { pin, checkingPin, pinWrong };
}
