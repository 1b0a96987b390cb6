import type { Runtime } from '../../shared/runtime.ts';
import { counted, noAttempts } from '../acquirer/attempts.ts';
import type { Acquirer } from '../acquirer/service.ts';
import type { Store } from '../store/store.ts';
import type { TerminalService } from '../terminals/service.ts';
import type { PaymentLanes } from './lanes.ts';
import type { OpenPayments } from './open-payments.ts';
import { readOpen } from './rows.ts';
import { none, paymentOf, storedState, waiting } from './states.ts';

/** Takes up the payments that a former process accepted and did not conclude (B65). */
export async function recover(on: {
  runtime: Runtime;
  store: Store;
  terminals: TerminalService;
  acquirer: Acquirer;
  open: OpenPayments;
  lanes: PaymentLanes;
  failed(terminalId: string, error: unknown): void;
}): Promise<void> {
  const { runtime, store, terminals, acquirer, open, lanes } = on;
  const found = await store.read(async (db) => {
    const rows = await readOpen(db);
    const ledgers = new Map(
      await Promise.all(rows.map(async ({ id }) => [id, await acquirer.ledger.entries(db, id)] as const)),
    );
    return { rows, ledgers };
  });
  const { clock } = runtime;
  for (const row of found.rows) {
    const terminal = row.terminal_deleted_at === null ? terminals.byId(row.terminal_id) : undefined;
    const payment = paymentOf(row, {
      poiId: terminal?.poiId ?? '',
      saleReferenceId: JSON.parse(row.message).SaleData.SaleReferenceID,
      now: clock.now(),
      monotonic: clock.monotonic(),
    });
    const ledger = (found.ledgers.get(row.id) ?? []).reduce(counted, noAttempts);
    open.install(none, storedState(row, { ...waiting(payment), ledger }));
  }
  for (const { id, terminal_id: terminalId } of found.rows)
    lanes.put(terminalId, id, { is: 'recovered' }).catch((error) => on.failed(terminalId, error));
}
