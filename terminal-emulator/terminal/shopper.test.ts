import { expect, test } from 'vitest';
import type { AutomaticShopperSettings } from '../../shared/emulator/frames.ts';
import { emulatorHarness } from '../../test/emulator-harness.ts';
import type { PaymentChanges } from '../../test/scripted-gateway.ts';
import { naturalPacing } from '../index.ts';

const shopper: AutomaticShopperSettings = { card: 'visa-credit', entry: 'ICC', tip: 'none', thinkMs: 0 };

test.each<[Partial<AutomaticShopperSettings>, PaymentChanges, unknown]>([
  [{}, {}, { Result: 'Success' }],
  [{ entry: 'Contactless' }, {}, { Result: 'Success' }],
  [{ entry: 'Keyed' }, {}, { Result: 'Success' }],
  [{ card: 'stripe-only', entry: 'MagStripe' }, {}, { Result: 'Success' }],
  [{ entry: 'MagStripe' }, {}, { Result: 'Success' }],
  [{ card: 'chip-dead' }, {}, { Result: 'Success' }],
  [{ card: 'credit-debit' }, {}, { Result: 'Success' }],
  [{ card: 'tap-then-insert', entry: 'Contactless' }, { amount: 30 }, { Result: 'Success' }],
  [{ card: 'tap-then-pin', entry: 'Contactless' }, { amount: 30 }, { Result: 'Success' }],
  [{ pin: '0000' }, {}, { ErrorCondition: 'WrongPIN' }],
  [{}, { conditions: { ForceEntryMode: ['Contactless'] } }, { Result: 'Success' }],
  [{}, { conditions: { AllowedPaymentBrand: ['jcb', 'amex'] } }, { ErrorCondition: 'PaymentRestriction' }],
])('the shopper %j pays %j', async (settings, payment, expected) => {
  const { gateway, settle, terminal } = await emulatorHarness({ shopper: { ...shopper, ...settings } });
  gateway.pay('1', payment);
  await settle();
  expect(gateway.outcomes()).toMatchObject([{ Response: expected }]);
  expect(terminal.screen().state).toBe('idle');
});

test.each([
  ['none', undefined],
  ['2', 1.8],
  ['3', undefined],
] as const)('the shopper presses tip %s', async (tip, amount) => {
  const { gateway, settle } = await emulatorHarness({ shopper: { ...shopper, tip } });
  gateway.pay('1', { data: { gratuity: { percentages: [15, 18], custom: false, maximumTotal: 99999 } } });
  await settle();
  expect(gateway.outcomes()[0]?.PaymentResult?.AmountsResp?.TipAmount).toBe(amount);
});

test('the shopper thinks before each action', async () => {
  const { gateway, settle, clock, terminal } = await emulatorHarness({
    shopper: { ...shopper, thinkMs: 2000 },
  });
  gateway.pay('1');
  await settle();
  await clock.advance(1999);
  expect(terminal.screen().state).toBe('presentCard');
  await clock.advance(1);
  expect(terminal.screen().state).toBe('pin');
  await clock.advance(2000);
  expect(terminal.screen().state).toBe('removeCard');
  await clock.advance(2000);
  expect(terminal.screen().state).toBe('idle');
});

test('the shopper waits while a terminal takes its time', async () => {
  const { gateway, clock, terminal } = await emulatorHarness({ shopper, pacing: naturalPacing });
  await clock.advance(naturalPacing.startMs);
  gateway.pay('1');
  await clock.advance(60_000);
  expect(gateway.outcomes()).toMatchObject([{ Response: { Result: 'Success' } }]);
  expect(terminal.screen().state).toBe('idle');
});

test('the shopper stops acting when removed, and answers a prompt already on the screen when added', async () => {
  const { gateway, settle, terminal } = await emulatorHarness({ shopper });
  terminal.setShopper(null);
  expect(terminal.shopper).toBeUndefined();
  gateway.pay('1');
  await settle();
  expect(terminal.screen().state).toBe('presentCard');
  terminal.setShopper(shopper);
  await settle();
  expect(gateway.outcomes()).toHaveLength(1);
});
