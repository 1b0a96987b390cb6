import { payment } from './payment-setup.ts';
import { abortable, cancelKey, ending } from './transitions.ts';

/** Choosing a tip: one of the options, one's own amount, or none (B22–B27). */
export const tip = payment.createStateConfig({
  entry: { type: 'notify', params: { event: 'ASK_GRATUITY' } },
  on: {
    ...abortable,
    key: [
      cancelKey('shopperCancelled'),
      { guard: 'choosesCustomTip', target: 'customTip' },
      {
        guard: 'choosesTip',
        target: 'presentCard',
        actions: ['takeTip', { type: 'notify', params: { event: 'GRATUITY_ENTERED' } }],
      },
    ],
  },
  after: { promptTime: ending('promptTimedOut') },
});

export const customTip = payment.createStateConfig({
  entry: 'clearTyped',
  on: {
    ...abortable,
    key: [
      cancelKey('shopperCancelled'),
      { guard: { type: 'isKey', params: { key: 'clear' } }, actions: 'erase' },
      { guard: 'isDigit', actions: { type: 'type', params: { into: 'customTip' } } },
      { guard: 'tipTooMuch', actions: 'refuseTip' },
      {
        guard: { type: 'isKey', params: { key: 'enter' } },
        target: 'presentCard',
        actions: ['takeCustomTip', { type: 'notify', params: { event: 'GRATUITY_ENTERED' } }],
      },
    ],
  },
  after: { promptTime: ending('promptTimedOut') },
});
