import { resolveConfig, type Stack, startStack } from '../../stack/index.ts';
import type { BenchmarkPart } from '../part.ts';
import { median } from '../statistics.ts';

/**
 * Measures a payment whose shopper is so slow that the request's time limit passes: the card goes in after 100 s,
 * and no PIN follows. The request is answered with 303 at 150 s, and a status request gets the outcome. The requests
 * use real HTTP, and the stack uses the virtual clock.
 */
export const virtualTimePart: BenchmarkPart = {
  name: 'virtual-time',
  summary: 'the real time of a payment that takes longer than the 150 s limit in virtual time',
  async run({ quick }) {
    const tookMs: number[] = [];
    const stack = await startStack(
      resolveConfig(undefined, { port: 0, memory: true, clock: 'virtual', seed: 1 }),
    );
    try {
      for (let run = 0; run < (quick ? 3 : 21); run++) {
        const before = performance.now();
        await slowPayment(stack, run);
        tookMs.push(performance.now() - before);
      }
    } finally {
      await stack.close();
    }
    return [
      {
        name: 'the real time of a payment that takes 160 s in virtual time',
        value: median(tookMs),
        unit: 'ms',
        aim: { atMost: 50 },
      },
    ];
  },
};

async function slowPayment(stack: Stack, run: number): Promise<void> {
  const terminal = stack.terminals[0]?.identifier;
  const call = caller(stack);
  const held = call('POST', `/terminals/${terminal}/payment-request`, {
    paymentTransaction: { amountsReq: { requestedAmount: 25 } },
    saleData: { saleReferenceId: `slow-${run}` },
  });
  expectStatus(await call('GET', `/control/terminals/${terminal}/screen?until=presentCard`), 200);
  await call('POST', '/control/clock/advance', { ms: 100_000 });
  await call('POST', `/control/terminals/${terminal}/insert`, { card: 'offline-pin' });
  await call('POST', '/control/clock/advance', { ms: 60_000 });
  const redirected = await held;
  expectStatus(redirected, 303);
  const outcome = await call('GET', redirected.headers.get('location') ?? '');
  expectStatus(outcome, 200);
  await call('POST', `/control/terminals/${terminal}/remove`, {});
}

function caller(stack: Stack) {
  return (method: string, path: string, body?: unknown): Promise<Response> =>
    fetch(new URL(path, stack.url), {
      method,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${path.startsWith('/control') ? stack.controlToken : stack.tokens[0]?.token}`,
        'content-type': 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
}

function expectStatus(response: Response, status: number): void {
  if (response.status !== status)
    throw new Error(`${response.url} answered ${response.status}, not ${status}`);
}
