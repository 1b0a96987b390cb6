import { expect, onTestFinished, test } from 'vitest';
import { KillSwitch } from './kill-switch.ts';
import { makeLocalEnvironmentProvider } from './local-environment-provider.ts';

const payment = { paymentTransaction: { amountsReq: { requestedAmount: 5 } } };

/**
 * Opens an environment with a kill switch. `send` sends a request and returns its answer, or undefined if the answer is
 * lost.
 */
async function switched() {
  const arena = makeLocalEnvironmentProvider({ config: undefined, port: undefined, seed: 1 });
  const environment = await arena.open({ folder: false, worker: 0 });
  onTestFinished(() => environment.close());
  const killSwitch = new KillSwitch(environment);
  onTestFinished(() => killSwitch.stop());
  killSwitch.arm(() => {});
  const headers = { authorization: `Bearer ${environment.token}`, 'content-type': 'application/json' };
  const send = (method: string, path: string, body?: object) =>
    fetch(environment.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) }).then(
      (answer) => answer.text(),
      () => undefined,
    );
  return { environment, killSwitch, send, payments: `/terminals/${environment.terminalId}/payment-request` };
}

test('a command is killed at its first request, even if a second arrives before the first is answered', async () => {
  const { environment, killSwitch, send, payments } = await switched();
  await killSwitch.set({ fault: 'killAfter', moment: 'payment-request', nth: 1 }, 'after');
  const accepted = new Promise<void>((resolve) => {
    environment.listen(({ kind }) => kind === 'payment.accepted' && resolve());
  });
  const first = send('POST', payments, payment);
  await accepted;
  expect(await send('POST', payments, payment)).toContain('busy');
  const advanced = environment.advance(200_000); // after these 200 s, the terminal no longer waits for a card
  await first;
  expect(killSwitch.killed).toBe(true);
  killSwitch.stop();
  await advanced;
});

test('a kill switch that is switched off kills at none of the requests for which it was set', async () => {
  const { killSwitch, send, payments } = await switched();
  await killSwitch.set({ fault: 'killBefore', moment: 'terminals', nth: 1 }, 'before');
  await killSwitch.set({ fault: 'killBefore', moment: 'latest', nth: 1 }, 'before');
  killSwitch.stop();
  expect([await send('GET', '/terminals'), await send('GET', payments)]).toEqual([undefined, undefined]);
  expect(killSwitch.killed).toBe(false);
});
