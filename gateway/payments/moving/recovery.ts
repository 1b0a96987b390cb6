import type { Clock } from '../../../shared/clock.ts';
import type { Runtime } from '../../../shared/runtime.ts';
import { noAttempts, type PaymentAttempts, withLedgerEntry } from '../../acquirer/attempts.ts';
import type { Ledger } from '../../acquirer/ledger.ts';
import type { Acquirer } from '../../acquirer/service.ts';
import type { OpenPaymentRow, PaymentRow } from '../../store/rows/payments.ts';
import type { Tx } from '../../store/schema.ts';
import type { GatewayStore } from '../../store/store.ts';
import type { Terminal } from '../../terminals/directory.ts';
import type { TerminalService } from '../../terminals/service.ts';
import type { GatewayPaymentOffer } from '../core/payment-offer.ts';
import {
  makeWaitingState,
  noPayment,
  type Payment,
  paymentFromRow,
  restoreOpenState,
  type WaitingPayment,
} from '../core/states.ts';
import type { OpenPayments } from './open-payments.ts';
import type { PaymentInputQueue } from './payment-engine-adapter.ts';
import { readOpenPaymentRows, readOpenRowsOnTerminals } from './rows.ts';

/** A payment that another process left open, together with its attempts in the acquirer's ledger. */
export interface UnfinishedPayment {
  row: PaymentRow & OpenPaymentRow;
  attempts: PaymentAttempts;
}

/** Reads the open payments, the oldest first. If `terminals` is given, reads only the payments of these terminals. */
export async function readUnfinishedPayments(
  db: Tx,
  ledger: Ledger,
  terminals?: readonly string[],
): Promise<UnfinishedPayment[]> {
  const rows = await (terminals === undefined
    ? readOpenPaymentRows(db)
    : readOpenRowsOnTerminals(db, terminals));
  return Promise.all(
    rows.map(async (row) => ({
      row,
      attempts: (await ledger.entries(db, row.id)).reduce(withLedgerEntry, noAttempts),
    })),
  );
}

/** Gives the payment in the state that it had when it was accepted, with its attempts. */
export function restoreAcceptedState(
  { row, attempts }: UnfinishedPayment,
  terminals: TerminalService,
  clock: Clock,
): WaitingPayment {
  const terminal = row.terminal_deleted_at === null ? terminals.byId(row.terminal_id) : undefined;
  return { ...makeWaitingState(restorePaymentOfOtherProcess(row, terminal, clock)), attempts };
}

/** Makes a payment from a row that another process stored. */
export function restorePaymentOfOtherProcess(
  row: GatewayPaymentOffer,
  terminal: Terminal | undefined,
  clock: Clock,
): Payment {
  return paymentFromRow(row, {
    poiId: terminal?.poiId ?? '',
    saleReferenceId: JSON.parse(row.message).SaleData.SaleReferenceID,
    now: clock.now(),
    monotonic: clock.monotonic(),
  });
}

/** Continues the payments that a former process accepted and did not conclude (B65). */
export async function recoverPayments(on: {
  runtime: Runtime;
  store: GatewayStore;
  terminals: TerminalService;
  acquirer: Acquirer;
  open: OpenPayments;
  turns: PaymentInputQueue;
  failed(terminalId: string, error: unknown): void;
}): Promise<void> {
  const { runtime, store, terminals, acquirer, open, turns } = on;
  const found = await store.read((db) => readUnfinishedPayments(db, acquirer.ledger));
  for (const left of found)
    open.install(noPayment, restoreOpenState(left.row, restoreAcceptedState(left, terminals, runtime.clock)));
  for (const { row } of found)
    turns
      .put(row.terminal_id, row.id, { is: 'recovered', deadlineAt: row.deadline_at })
      .catch((error) => on.failed(row.terminal_id, error));
}
