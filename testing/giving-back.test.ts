import { expect, test } from 'vitest';
import { startPinpad } from './start-pinpad.ts';

test('a test gives back what a terminal took, by the control API or as a till of Adyen (B507)', async () => {
  await using pinpad = await startPinpad();
  const { pos } = pinpad;
  const sale = await pos.pay({ amount: 25, key: 'order-1' });
  await pinpad.terminal().tap('visa-credit');
  await pinpad.expect({ outcome: 'success' }, { of: sale });

  const part = await pos.giveBack({ of: sale, amount: 10, key: 'return-1' });
  await pinpad.expect({ outcome: 'success', ledger: ['refunded'] }, { of: part });
  const again = await pos.again(part);
  await pinpad.expect({ answer: { body: { identifier: await part.payment() } } }, { of: again });
  const other = await pos.again(part, { key: 'return-2', amount: 1 });
  await pinpad.expect({ answer: { body: { total: 1 } } }, { of: other });
  const rest = await pos.giveBack({ of: sale, api: 'adyen' });
  await pinpad.expect({ outcome: 'success', explanation: { original: await sale.payment() } }, { of: rest });
  const none = await pos.giveBack({ of: sale });
  await pinpad.expect({ answer: { status: 409, error: 'alreadyGivenBack' } }, { of: none });

  const toACard = await pos.giveBack({ amount: 7.5 });
  expect(await toACard.payment()).toBeTypeOf('string');
  await pinpad.terminal().tap('visa-credit');
  await pinpad.expect({ outcome: 'success', explanation: { kind: 'refund' } }, { of: toACard });
  await pinpad.expect({ explanation: { givenBack: 25 } }, { of: sale });
});
