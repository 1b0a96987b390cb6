import { expect } from 'vitest';
import { testThoroughly } from '../test/optional-programs.ts';
import { attachPinpad, ExpectationError, ScenarioError, StartError, startPinpad } from './index.ts';

const testInCi = testThoroughly();

testInCi('the class of an error tells a mistake in a test from a gateway that is away', async () => {
  const away = { url: 'http://127.0.0.1:1', controlToken: 'control_x', token: 'test_x' };
  await expect(attachPinpad(away)).rejects.toThrow(StartError);
  await expect(startPinpad({ currency: 'euro' })).rejects.toThrow(ScenarioError);
  await using pinpad = await startPinpad();
  await expect(pinpad.terminal().remove()).rejects.toThrow(ScenarioError);
  const sale = await pinpad.pos.pay({ amount: 12.5 });
  const wrong = await pinpad.expect({ outcome: 'aborted' }, { of: sale }).catch((error: unknown) => error);
  expect(wrong).toBeInstanceOf(ExpectationError);
  expect((wrong as ExpectationError).wrong).not.toEqual([]);
});
