import { makeAlphanumericText } from '../../shared/random.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { prepareQuery } from '../store/prepared.ts';
import type { LedgerRow } from '../store/rows/acquirer.ts';
import type { Tx } from '../store/schema.ts';
import type { LedgerEntryValueGenerator } from './entries.ts';

const entriesOf = prepareQuery((db, arg: (name: 'paymentId') => never) =>
  db.selectFrom('ledger').selectAll().where('payment_id', '=', arg('paymentId')).orderBy('id'),
);

/** The acquirer's ledger. Entries are only added, and never changed (B133). */
export class Ledger {
  readonly dice: LedgerEntryValueGenerator;

  constructor(runtime: Runtime) {
    this.dice = {
      identifier: () => runtime.identifiers.next(),
      pspReference: () => makeAlphanumericText(runtime.random, 16),
      authCode: () => String(runtime.random.int(1_000_000)).padStart(6, '0'),
    };
  }

  entries(tx: Tx, paymentId: string): Promise<LedgerRow[]> {
    return entriesOf(tx, { paymentId });
  }
}
