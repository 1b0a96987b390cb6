import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { createClient, createControlClient } from 'pinpad/client';
import { startPinpad } from 'pinpad/testing';

test('a tip, and the typed clients', async (t) => {
  const pinpad = await startPinpad();
  t.after(() => pinpad.close());
  const sale = await pinpad.pos.pay({ amount: 12.5, tip: true });
  await pinpad.terminal().tip('18%');
  await pinpad.terminal().tap('visa-credit');
  await pinpad.expect({ outcome: 'success' }, { of: sale });
  const api = createClient({ url: pinpad.url, token: pinpad.token });
  const { data } = await api.GET('/terminals');
  assert.equal(data?.[0]?.identifier, pinpad.terminalId());
  const control = createControlClient({ url: pinpad.url, token: pinpad.controlToken });
  const { agree } = await control.GET('/control/books');
  assert.equal(agree, true);
});
