import { expect, test } from 'vitest';
import { makeResultBody } from '../sales/sales.fixture.ts';
import type { Finding } from './finding.ts';
import { createLintHarness } from './watched.fixture.ts';

const rules = (findings: readonly Finding[]) => findings.map(({ rule }) => rule);

test('a payment whose request arrives late is matched with the earlier requests (B252)', () => {
  const { pos, lost, status, found, foundAfterwards } = createLintHarness();
  const late = pos.asks({ key: 'k1', reference: 'sale-1' });
  lost(late, 'delayRequest');
  pos.answered(status('k1'), 404, { error: 'paymentNotFound' });
  pos.clock.advance(3_000);
  pos.accepted(late, 'p1', { key: 'k1', reference: 'sale-1' });
  pos.approved('p1');
  expect(rules(found())).toEqual(['stopped-asking']);
  expect(found()).toEqual(foundAfterwards());
});

test('two payments of one sale that are open at once at two terminals count as a retry (B251)', () => {
  const { pos, found, foundAfterwards } = createLintHarness();
  const [one, two] = ['1', '2'].map((number) => {
    const names = { key: `k${number}`, reference: 'sale-1' };
    const request = pos.asks({ ...names, terminal: `t${number}` });
    pos.accepted(request, `p${number}`, names);
    return request;
  });
  for (const [request, payment] of [[one, 'p1'] as const, [two, 'p2'] as const]) {
    pos.approved(payment);
    if (request) pos.answered(request, 200, makeResultBody(payment));
  }
  expect(rules(found())).toEqual(['blind-payment-retry']);
  expect(found()).toEqual(foundAfterwards());
});

test.each(['refused', 'repeated'])(
  'requests that are %s do not count as many payments of one reference (B237, B251)',
  (how) => {
    const { pos, lost, found, foundAfterwards } = createLintHarness();
    const reference = 'sale-1';
    const first = pos.asks({ key: 'k1', reference });
    pos.accepted(first, 'p1', { key: 'k1', reference });
    pos.approved('p1');
    pos.answered(first, 200, makeResultBody('p1'));
    for (let count = 0; count < 25; count++) {
      const again = pos.asks({ key: how === 'refused' ? `refused-${count}` : 'k1', reference });
      if (how === 'refused') pos.answered(again, 403, { error: 'limitReached' });
      else pos.answered(again, 200, makeResultBody('p1'));
    }
    const unheard = pos.asks({ key: 'k2', reference, terminal: 't2' });
    pos.accepted(unheard, 'p2', { key: 'k2', reference });
    pos.approved('p2');
    lost(unheard, 'dropAnswer');
    const retry = pos.asks({ key: 'k3', reference });
    pos.accepted(retry, 'p3', { key: 'k3', reference });
    pos.approved('p3');
    pos.answered(retry, 200, makeResultBody('p3'));
    expect(rules(found())).toContain('blind-payment-retry');
    expect(rules(found())).toEqual(rules(foundAfterwards()));
  },
);

test.each(['sale-1', undefined])(
  'a sale %s that is retried blindly again and again is one finding (B254)',
  (reference) => {
    const { pos, lost, found, foundAfterwards } = createLintHarness();
    for (let count = 0; count < 4; count++) {
      const names = { key: `k${count}`, reference };
      const request = pos.asks(names as never);
      pos.accepted(request, `p${count}`, names as never);
      pos.approved(`p${count}`);
      lost(request, 'dropAnswer');
    }
    const retries = found().filter(({ rule }) => rule === 'blind-payment-retry');
    expect(retries).toMatchObject([{ count: 3 }]);
    expect(found()).toEqual(foundAfterwards());
  },
);
