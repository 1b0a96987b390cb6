import { afterEach, expect, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import { temporaryDatabaseFile } from '../../shared/database/temporary-file.fixture.ts';
import type { Sale } from '../../shared/sales/sale.ts';
import { PaymentsHarness } from '../payments/payments-harness.fixture.ts';
import { SaleBeginningReader } from './sale-beginning-reader.ts';

let harness: PaymentsHarness;
afterEach(() => harness?.stop());

async function pay(from: number, to: number): Promise<void> {
  const terminal = await harness.terminal().connect();
  for (let number = from; number <= to; number++) {
    const more = { saleData: { saleReferenceId: 'order-1' } };
    const paying = harness.pay(25, { key: `k${number}`, more });
    await terminal.pay();
    await paying;
  }
}

async function restart(file: string): Promise<void> {
  await harness.stop();
  const runtime = createRuntime({ clock: 'virtual', seed: 8 });
  harness = await PaymentsHarness.start({ file, runtime, lint: true });
}

/** Resolves with the first sale that a listener receives and for which `isWanted` returns true. */
const shown = (isWanted: (sale: Sale) => boolean) =>
  new Promise<Sale>((resolve) => {
    const stop = harness.services.sales.listen((sale) => {
      if (!isWanted(sale)) return;
      stop();
      resolve(sale);
    });
  });

test('the stream shows a payment together with the stored payments of its sale, as the list does (B401)', async () => {
  const file = temporaryDatabaseFile();
  harness = await PaymentsHarness.start({ file });
  await pay(1, 1);
  await restart(file);
  const whole = shown(({ attempts, charged }) => attempts.length === 2 && charged === 50);
  await pay(2, 2);
  const { calls: _calls, told: _told, ...followed } = await whole;
  const page = await harness.services.sales.page({}, undefined, 10);
  expect(page.sales).toMatchObject([
    { saleId: followed.saleId, attempts: followed.attempts.map(({ payment }) => ({ payment })) },
  ]);
});

test('stored payments with a shared reference are known as soon as one more joins, even if nobody lists them (B401)', async () => {
  const file = temporaryDatabaseFile();
  harness = await PaymentsHarness.start({ file });
  await pay(1, 21);
  await restart(file);
  const parted = shown(({ findings }) => findings.some(({ rule }) => rule === 'shared-reference'));
  await pay(22, 23);
  expect((await parted).attempts).toHaveLength(1);
  expect(harness.services.sales.wholeSaleFindings()).toMatchObject([
    { what: expect.stringMatching(/^2[123] payments have the saleReferenceId order-1/) },
  ]);
});

test('a reading of the store that fails does not prevent the next one', async () => {
  const asked: (readonly string[])[] = [];
  const learnt: string[] = [];
  const sale = (payment: string) => ({ payments: [{ payment }, { payment: 'before' }] as never });
  const salesOf = async (of: readonly string[]) => {
    asked.push(of);
    if (asked.length === 1) throw new Error('the disk is away');
    return of.map(sale);
  };
  const before = new SaleBeginningReader({ salesOf }, ({ payments }) =>
    learnt.push(payments[0]?.payment ?? ''),
  );
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  for (const payment of ['p1', 'p2']) before.ask(payment);
  await turn();
  before.ask('p3');
  await turn();
  before.stop();
  before.ask('p4');
  await turn();
  expect(asked).toEqual([['p1', 'p2'], ['p3']]);
  expect(learnt).toEqual(['p3']);
});
