import { paymentMachineSetup } from './payment-setup.ts';
import {
  abortTransition,
  cancelKeyTransition,
  endingTransition,
  keyGuard,
  tellPosAction,
} from './transitions.ts';

/** The shopper chooses one of the offered tips, types another amount, or chooses no tip (B22–B27). */
const tip = paymentMachineSetup.createStateConfig({
  tags: 'person',
  entry: tellPosAction('ASK_GRATUITY'),
  on: {
    ...abortTransition,
    key: [
      cancelKeyTransition('shopperCancelled'),
      { guard: 'choosesCustomTip', target: 'customTip' },
      {
        guard: 'choosesTip',
        target: 'presentCard',
        actions: ['takeTip', tellPosAction('GRATUITY_ENTERED')],
      },
    ],
  },
  after: { promptTime: endingTransition('promptTimedOut') },
});

const customTip = paymentMachineSetup.createStateConfig({
  tags: 'person',
  entry: 'clearTyped',
  on: {
    ...abortTransition,
    key: [
      cancelKeyTransition('shopperCancelled'),
      { guard: keyGuard('clear'), actions: 'erase' },
      { guard: 'isDigit', actions: { type: 'type', params: { into: 'customTip' } } },
      { guard: 'tipTooMuch', actions: 'refuseTip' },
      {
        guard: keyGuard('enter'),
        target: 'presentCard',
        actions: ['takeCustomTip', tellPosAction('GRATUITY_ENTERED')],
      },
    ],
  },
  after: { promptTime: endingTransition('promptTimedOut') },
});

/** The states of the payment machine in which the shopper chooses a tip. */
export const tipStates = { tip, customTip };
