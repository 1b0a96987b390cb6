import { anyOf } from '../../../shared/database/postgres-expressions.ts';
import { PeriodicRunner } from '../../../shared/rounds.ts';
import { readStoredOutcome } from '../../payments/core/outcome.ts';
import type { PaymentWithOutcomeRow } from '../../payments/moving/rows.ts';
import type { PaymentEngineMakerParts } from '../../payments/running.ts';
import type { Tx } from '../../store/schema.ts';
import type { Cluster } from '../cluster.ts';
import type { PaymentHintBus } from './payment-hints.ts';

interface RemotePaymentFollowerParts
  extends Pick<PaymentEngineMakerParts, 'runtime' | 'store' | 'open' | 'waiting'> {
  cluster: Cluster;
  paymentHints: PaymentHintBus;
}

/**
 * Follows payments that other gateways run, if requests at this gateway wait for these payments. Each second it reads
 * from the database which of these payments have ended.
 */
export class RemotePaymentFollower {
  readonly #parts: RemotePaymentFollowerParts;
  readonly #rounds: PeriodicRunner;
  /** The payments about which other gateways have reported a change. */
  readonly #changed = new Set<string>();
  #reading: Promise<void> | undefined;

  constructor(parts: RemotePaymentFollowerParts) {
    this.#parts = parts;
    const { waiting } = parts;
    parts.paymentHints.hear({
      changed: (id) => this.#toldOf(id),
      concluded: (id, outcome) => waiting.wake(id, { by: 'result', outcome }),
    });
    const { realClock } = parts.runtime;
    const wakeAll = () =>
      this.#wakeByEnds(parts.waiting.payments.filter((id) => parts.open.byId(id).is === 'none'));
    this.#rounds = new PeriodicRunner(realClock, parts.cluster.paces.beatMs, wakeAll);
  }

  stop(): void {
    void this.#rounds.stop();
  }

  /** Asks the gateway that runs the payment to send news about the payment at once. */
  follow({ terminal_id, id }: Pick<PaymentWithOutcomeRow, 'terminal_id' | 'id'>): void {
    this.#parts.paymentHints.ask(terminal_id, id);
  }

  /** Asks the gateway that runs the payment to abort the payment. Returns false if the payment is already concluded. */
  async abort({
    terminal_id,
    id: payment_id,
  }: Pick<PaymentWithOutcomeRow, 'terminal_id' | 'id'>): Promise<boolean> {
    const { store, runtime, paymentHints } = this.#parts;
    const set = { abort_asked_at: runtime.clock.now() };
    const asked = await store.commit([{ update: 'open_payments', where: { payment_id }, set }]);
    if (asked.is === 'refused' && asked.because !== 'version') throw asked.error;
    if (asked.is === 'applied') paymentHints.ask(terminal_id, payment_id, true);
    return asked.is === 'applied';
  }

  /**
   * Handles another gateway's message that a payment has changed. If the payment has ended, the requests that wait for
   * the payment at this gateway are answered at once.
   */
  #toldOf(id: string): void {
    if (!this.#parts.waiting.has(id)) return;
    this.#changed.add(id);
    this.#reading ??= this.#readChanged();
  }

  /** Reads the changed payments. If further payments change during a reading, the next reading reads all of them. */
  async #readChanged(): Promise<void> {
    while (this.#changed.size > 0) {
      const ids = [...this.#changed];
      this.#changed.clear();
      // An error is ignored, because the payments are read again a second later.
      await this.#wakeByEnds(ids).catch(() => {});
    }
    this.#reading = undefined;
  }

  /** Wakes the calls that wait for one of these payments, if the payment has ended or its abort was acknowledged. */
  async #wakeByEnds(ids: readonly string[]): Promise<void> {
    const { store, waiting } = this.#parts;
    if (ids.length === 0) return;
    for (const row of await store.read((db) => readEnds(db, ids))) {
      const outcome = readStoredOutcome(row);
      if (outcome) waiting.wake(row.id, { by: 'result', outcome });
      else if (row.abort_acknowledged_at !== null) waiting.wake(row.id, { by: 'abortAcknowledged' });
    }
  }
}

/** Reads which of these payments have ended, and which of their aborts the terminal has acknowledged. */
function readEnds(db: Tx, ids: readonly string[]) {
  return db
    .selectFrom('payments')
    .leftJoin('payment_results as ended', 'ended.payment_id', 'id')
    .leftJoin('open_payments as open', 'open.payment_id', 'id')
    .select(['id', 'answer', 'outcome', 'abort_acknowledged_at'])
    .where('id', '=', anyOf(ids))
    .where(({ or, eb }) =>
      or([
        eb('ended.payment_id', 'is not', null),
        eb('abort_acknowledged_at', '>=', eb.ref('abort_asked_at')),
      ]),
    )
    .execute();
}
