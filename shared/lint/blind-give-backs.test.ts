import { describe, expect, test } from 'vitest';
import { createGiveBackHarness } from '../sales/giving-back.fixture.ts';
import { createLintHarness } from './watched.fixture.ts';

function setup() {
  const lint = createLintHarness();
  const { pos } = lint;
  const { ask, accepted, gaveBack, told } = createGiveBackHarness(pos);
  const ends = (asked: ReturnType<typeof ask>, status: number, as: string) => {
    const { requestId, method, path } = asked;
    pos.journal.add('http.answered', {
      ...{ requestId, method, path, status: 200, durationMs: 5, whole: true, means: { status, as } },
    });
  };
  const found = () => {
    const live = lint.found();
    expect(lint.foundAfterwards()).toEqual(live);
    return live;
  };
  return { pos, ask, accepted, gaveBack, told, ends, found };
}

const kinds = [
  ['reversal', { original: 'PSP1', amount: 5 }, { original: 'p1' }],
  ['refund', { reference: 'return-1', amount: 5 }, { reference: 'return-1' }],
] as const;

describe.each(kinds)('a %s whose result the POS did not learn (B514)', (kind, asks, about) => {
  test('is found if it is begun again with a new ServiceID', () => {
    const { pos, ask, accepted, gaveBack, told, found } = setup();
    const first = ask(kind, asks);
    accepted(first, 'b1', { amount: 500, ...about });
    pos.hungUp(first);
    gaveBack('b1', 500);
    const again = ask(kind, asks);
    accepted(again, 'b2', { amount: 500, ...about });
    gaveBack('b2', 500);
    told(again, 'b2');
    expect(found()).toMatchObject([
      {
        rule: 'blind-refund-retry',
        what: `the customer was refunded twice: a ${kind} of 5 was requested again with a new one, the ServiceID 2, while the outcome of the earlier request with the ServiceID 1 was not known`,
        fix: expect.stringContaining('TransactionStatus'),
        payment: 'b2',
      },
    ]);
  });

  test('is not found if its status is asked for, or it is refused, before the next', () => {
    const { pos, ask, accepted, gaveBack, told, ends, found } = setup();
    const first = ask(kind, asks);
    accepted(first, 'b1', { amount: 500, ...about });
    pos.hungUp(first);
    gaveBack('b1', 500);
    told(ask('status', { key: first.key }), 'b1');
    const next = ask(kind, asks);
    accepted(next, 'b2', { amount: 500, ...about });
    gaveBack('b2', 500);
    told(next, 'b2');
    ends(ask(kind, asks), kind === 'reversal' ? 422 : 409, 'NotAllowed');
    expect(found()).toEqual([]);
  });

  test('is found if nobody asks for its status', () => {
    const { pos, ask, accepted, gaveBack, found } = setup();
    const first = ask(kind, asks);
    accepted(first, 'b1', { amount: 500, ...about });
    pos.hungUp(first);
    gaveBack('b1', 500);
    expect(found().map(({ rule }) => rule)).toEqual(['unknown-outcome']);
  });
});

test('another amount is another reversal, and all that is left cannot be given back twice (B514)', () => {
  const { pos, ask, accepted, gaveBack, told, found } = setup();
  for (const [number, amount] of [5, 2.5, undefined, undefined].entries()) {
    const asked = ask('reversal', { original: 'PSP1', ...(amount !== undefined && { amount }) });
    accepted(asked, `b${number}`, { amount: 100, original: 'p1' });
    gaveBack(`b${number}`, 100);
    if (number === 0 || number === 2) pos.hungUp(asked);
    else told(asked, `b${number}`);
  }
  expect(new Set(found().map(({ rule }) => rule))).toEqual(new Set(['unknown-outcome']));
});

test('rules of the native API do not apply to it: no key, short timeouts, ignored keys (B514)', () => {
  const { ask, accepted, gaveBack, told, found } = setup();
  for (const [kind, asks, about] of kinds) {
    const asked = ask(kind, asks);
    accepted(asked, `${kind}1`, { amount: 500, ...about });
    gaveBack(`${kind}1`, 500);
    told(asked, `${kind}1`);
  }
  expect(found()).toEqual([]);
});
