import type { CommitResult } from '../../shared/database/change.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { WebhookDeliveryRow } from '../store/rows/webhooks.ts';
import type { RowChange } from '../store/schema.ts';
import { decide, type Effect, type Input } from './lifecycle.ts';
import { chooseRetryDelayMs } from './retry-schedule.ts';
import type { PendingDelivery } from './rows.ts';

/** A delivery on disk, and the time at which this process made its latest decision about the delivery. */
export type DecidedDelivery = WebhookDeliveryRow & Pick<PendingDelivery, 'decidedAt'>;

/** A delivery after an input, and the effects that must be carried out. */
export interface DeliveryInputResult {
  readonly delivery: DecidedDelivery;
  readonly effects: readonly Effect[];
}

/** The parts that `commitDeliveryInput` needs to read and change deliveries. */
export interface DeliveryInputParts {
  runtime: Pick<Runtime, 'random' | 'timeouts'> & { readonly clock: Pick<Runtime['clock'], 'now'> };
  /** Reads a delivery from disk. */
  read(id: string): Promise<WebhookDeliveryRow | undefined>;
  commit(batch: readonly RowChange[]): Promise<CommitResult>;
  /**
   * Decides what an input does to a delivery. The default is `decide`. Tests that explore histories use faulty
   * versions instead.
   */
  decides?: typeof decide;
}

/**
 * Handles an input for a delivery. `seen` is the row of the delivery, or only its identifier. `batch` returns all
 * changes that are stored together with the delivery's update. If the delivery has changed in the meantime, because of
 * another attempt or because the webhook was disabled or deleted, this function decides on the input again.
 * @throws the database's error if it refused the batch
 */
export async function commitDeliveryInput(
  { runtime, read, commit, decides = decide }: DeliveryInputParts,
  seen: WebhookDeliveryRow | string,
  input: Input,
  batch: (update: RowChange) => RowChange[] = (update) => [update],
): Promise<DeliveryInputResult> {
  const { clock, random, timeouts } = runtime;
  const retryInMs = (tries: number) => chooseRetryDelayMs(tries, timeouts.webhookRetryUnitMs, random);
  const id = typeof seen === 'string' ? seen : seen.id;
  const stored = async () => (await read(id)) as WebhookDeliveryRow;
  for (let delivery = typeof seen === 'string' ? await stored() : seen; ; delivery = await stored()) {
    const { tries, state } = delivery;
    const decidedAt = clock.now();
    const { set, effects } = decides(delivery, input, { now: decidedAt, retryInMs });
    const moved = { delivery: { ...delivery, ...set, decidedAt }, effects };
    if (Object.keys(set).length === 0) return moved;
    const update = { update: 'webhook_deliveries', where: { id, tries, state }, set } as const;
    const result = await commit(batch(update));
    if (result.is === 'applied') return moved;
    if (result.because !== 'version') throw result.error;
  }
}
