import type { CommitResult } from '../../shared/database/change.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { WebhookDeliveryRow } from '../store/rows/webhooks.ts';
import type { Change } from '../store/schema.ts';
import { decide, type Effect, type Input } from './lifecycle.ts';
import { retryDelayMs } from './retry-schedule.ts';
import type { PendingDelivery } from './rows.ts';

/** A delivery as it is on disk, and when this process decided on that. */
export type Decided = WebhookDeliveryRow & Pick<PendingDelivery, 'decidedAt'>;

/** What an input came to. */
export interface MovedDelivery {
  readonly delivery: Decided;
  readonly effects: readonly Effect[];
}

/** What moves deliveries. */
export interface DeliveryMoves {
  runtime: Pick<Runtime, 'random' | 'timeouts'> & { readonly clock: Pick<Runtime['clock'], 'now'> };
  /** A delivery as it is on disk. */
  read(id: string): Promise<WebhookDeliveryRow | undefined>;
  commit(batch: readonly Change[]): Promise<CommitResult>;
  /** The table; histories plant bugs here. */
  decides?: typeof decide;
}

/**
 * Takes an input to a delivery: `seen`, as it was read, or the one of an identifier. `batch` is what is stored with the update.
 * It is decided again where another attempt, or the end of the webhook, came in between.
 *
 * @throws what refused its batch
 */
export async function moveDelivery(
  { runtime, read, commit, decides = decide }: DeliveryMoves,
  seen: WebhookDeliveryRow | string,
  input: Input,
  batch: (update: Change) => Change[] = (update) => [update],
): Promise<MovedDelivery> {
  const { clock, random, timeouts } = runtime;
  const retryInMs = (tries: number) => retryDelayMs(tries, timeouts.webhookRetryUnitMs, random);
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
