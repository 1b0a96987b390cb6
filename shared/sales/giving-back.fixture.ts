import type { createSalesHarness } from './sales.fixture.ts';

type Pos = ReturnType<typeof createSalesHarness>;

/** A point of sale that uses another vendor's API and gives money back at a terminal. */
export function createGiveBackHarness(pos: Pos) {
  const { journal } = pos;
  let services = 0;
  const ask = (kind: 'reversal' | 'refund' | 'status', more: object = {}) => {
    const key = `\nPOS1 t1 ${++services}`;
    const about = { requestId: `m${services}`, method: 'POST', path: '/sync' };
    const asks = { kind, key, id: `${services}`, terminal: 't1', ...more };
    journal.add('http.received', { ...about, accountId: 'shop', asks });
    return { ...about, key };
  };
  type Asked = ReturnType<typeof ask>;
  const accepted = (
    { requestId, key }: Asked,
    payment: string,
    about: { amount: number; original?: string; reference?: string },
  ) => {
    const { amount, original, reference } = about;
    journal.add(
      'payment.accepted',
      {
        ...{ amount, currency: 'EUR', requestId, accountId: 'shop', idempotencyKey: key },
        ...(reference !== undefined && { saleReferenceId: reference }),
        ...(original === undefined ? { paymentKind: 'refund' } : { paymentKind: 'reversal', original }),
      },
      { payment, terminal: 'V400m-1' },
    );
  };
  const gaveBack = (payment: string, amount: number) => {
    const booked = { amount, currency: 'EUR', refund: payment, rule: 'default: nothing declines it' };
    journal.add('ledger.refunded', booked, { payment });
    journal.add(
      'payment.concluded',
      { result: 'success', why: 'the terminal answers approved' },
      { payment },
    );
  };
  const told = ({ requestId, method, path }: Asked, outcomeOf: string) =>
    journal.add('http.answered', {
      ...{ requestId, method, path, status: 200, durationMs: 5, whole: true, outcomeOf },
      means: { status: 200 },
    });
  return { pos, ask, accepted, gaveBack, told };
}
