import { describe, expect, onTestFinished, test } from 'vitest';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { until } from '../../test/until.ts';
import { makeLocalEnvironmentProvider } from './local-environment-provider.ts';
import { waitUntilSold } from './until-sold.ts';

/** Opens the gateway of a run. Returns functions that do what a command does, and the clock that explore uses. */
async function aSale() {
  const environment = await makeLocalEnvironmentProvider({
    config: undefined,
    port: undefined,
    seed: 1,
  }).open({
    folder: false,
    worker: 0,
  });
  onTestFinished(() => environment.close());
  const clock = new VirtualClock({ startMs: 0 });
  const left = new AbortController();
  onTestFinished(() => left.abort());
  let sold = false;
  void waitUntilSold(environment, clock, left.signal).then(
    () => {
      sold = true;
    },
    () => {},
  );
  const post = (url: string, body: object) =>
    fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${environment.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const charge = () =>
    post(`${environment.url}/contact/demo-customer/creditCards/demo-visa/charge`, {
      ...{ amount: 12.5, to_bank_account_id: 'demo-bank-account', statement: 'ORDER 1' },
    });
  const believe = async () => {
    const { sales } = await environment.control.GET('/control/sales');
    const payment = sales[0]?.attempts[0]?.payment;
    expect((await post(environment.beliefsUrl ?? '', { payment, believes: 'paid' })).status).toBe(201);
  };
  /** Begins a payment, and waits until the terminal has it. */
  const begin = async () => {
    const arrived = new Promise<void>((heard) => {
      const stop = environment.listen(({ kind }) => {
        if (kind === 'payment.delivered') {
          stop();
          heard();
        }
      });
    });
    void post(`${environment.url}/terminals/${environment.terminalId}/payment-request`, {
      paymentTransaction: { amountsReq: { requestedAmount: 12.5 } },
    }).catch(() => {}); // when the gateway closes, this request fails
    await arrived;
  };
  return { begin, charge, believe, clock, isSold: () => sold };
}

describe('a command that keeps running counts as done (B332)', () => {
  test('two seconds after its last request, if it has said what it believes', async () => {
    const { charge, believe, clock, isSold } = await aSale();
    await clock.advance(60_000);
    expect(isSold()).toBe(false);
    await charge();
    await believe();
    await clock.advance(1_000);
    expect(isSold()).toBe(false);
    await clock.advance(1_500);
    await until('it has sold', isSold);
  });

  test('only when none of its requests is open any more', async () => {
    const { begin, clock, isSold } = await aSale();
    await begin();
    await clock.advance(120_000);
    expect(isSold()).toBe(false);
  });

  test('ten seconds after its last request, if it has not said what it believes', async () => {
    const { charge, clock, isSold } = await aSale();
    await charge();
    await clock.advance(9_000);
    expect(isSold()).toBe(false);
    // `waitUntilSold` needs a request to read the beliefs. This virtual clock does not wait for that request, so the test
    // moves the clock in small steps.
    const later = async () => {
      await clock.advance(250);
      return isSold();
    };
    await expect.poll(later, { timeout: 60_000, interval: 5 }).toBe(true);
    expect(clock.monotonic()).toBeGreaterThanOrEqual(10_000);
  });
});
