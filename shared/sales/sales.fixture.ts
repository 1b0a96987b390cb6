import { Journal, type JournalDataByKind } from '../journal.ts';
import { VirtualClock } from '../virtual-clock.ts';
import type { Sale } from './sale.ts';
import { SaleAssembler } from './sales.ts';

type Headers = JournalDataByKind['http.received']['headers'];

/** A journal as a gateway writes it, and the sales in it. */
export function createSalesHarness(options?: ConstructorParameters<typeof SaleAssembler>[0]) {
  const clock = new VirtualClock({ startMs: Date.UTC(2026, 0, 5, 9) });
  const journal = new Journal(clock);
  const sales = new SaleAssembler(options);
  const changes: string[] = [];
  journal.listen((entry) => changes.push(...sales.add(entry)));
  let requests = 0;
  const named = (path: string, method: string) => ({ method, path, requestId: `r${++requests}` });
  type Named = ReturnType<typeof named>;

  const received = (
    path: string,
    { method = 'GET', headers, body }: { method?: string; headers?: Headers; body?: unknown } = {},
  ): Named => {
    const about = named(path, method);
    journal.add('http.received', { ...about, ...(headers && { headers }), accountId: 'shop', body });
    return about;
  };
  return {
    clock,
    journal,
    sales,
    changes,
    received,
    /** Adds a journal entry that says that the POS requested a payment. */
    asks(
      options: { key?: string; reference?: string; amount?: number; terminal?: string; agent?: string } = {},
    ): Named {
      const { key, reference, amount = 12.5, terminal = 't1', agent } = options;
      return received(`/terminals/${terminal}/payment-request`, {
        method: 'POST',
        headers: { ...(key && { 'idempotency-key': key }), ...(agent && { 'user-agent': agent }) },
        body: {
          paymentTransaction: { amountsReq: { requestedAmount: amount } },
          ...(reference && { saleData: { saleReferenceId: reference } }),
        },
      });
    },
    accepted(
      { requestId }: Named,
      payment: string,
      { key, reference, amount = 1250 }: { key?: string; reference?: string; amount?: number } = {},
    ) {
      const order = { amount, currency: 'EUR', requestId, accountId: 'shop' };
      const names = { ...(key && { idempotencyKey: key }), ...(reference && { saleReferenceId: reference }) };
      journal.add('payment.accepted', { ...order, ...names }, { payment, terminal: 'V400m-1' });
    },
    approved(payment: string, amount = 1250) {
      const booked = { amount, currency: 'EUR', pspReference: 'p', rule: 'default: nothing declines it' };
      journal.add('ledger.authorized', booked, { payment });
      journal.add(
        'payment.concluded',
        { result: 'success', why: 'the terminal answers approved' },
        { payment },
      );
    },
    declined(payment: string, errorCondition = 'refusal') {
      const why = 'the terminal answers declined';
      journal.add('payment.concluded', { result: 'failure', errorCondition, why }, { payment });
    },
    answered(request: Named, status: number, body?: unknown, whole: boolean | undefined = true) {
      journal.add('http.answered', {
        ...request,
        status,
        body,
        durationMs: 5,
        ...(whole !== undefined && { whole }),
      });
    },
    hungUp(request: Named) {
      journal.add('http.hungUp', request);
    },
    /** The only sale. */
    get sale(): Sale {
      const all = sales.list();
      if (all.length !== 1) throw new Error(`there are ${all.length} sales`);
      return all[0] as Sale;
    },
  };
}

/** Returns the body of an answer with status 200. */
export function makeResultBody(payment: string, result: 'success' | 'failure' = 'success') {
  return { identifier: payment, response: { result } };
}
