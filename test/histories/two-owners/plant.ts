import type { shareTerminals } from '../../../gateway/cluster/payments/share-terminals.ts';
import type { Effect } from '../../../gateway/payments/core/effects.ts';
import type { OpenPayments } from '../../../gateway/payments/moving/open-payments.ts';
import type { Waiters } from '../../../gateway/payments/moving/waiters.ts';
import type { Change } from '../../../gateway/store/schema.ts';
import type { CommitResult } from '../../../shared/database/change.ts';
import type { Links } from './links.ts';
import type { Refusal } from './shared-disk.ts';

/** Of a gateway, what a bug may be planted in. */
interface Plantable {
  readonly links: Links;
  readonly open: OpenPayments;
  readonly waiting: Waiters;
  readonly shared: ReturnType<typeof shareTerminals>;
}

/** A bug that is planted in two gateways or their database. Each part takes the place of what is right. */
export interface Plant {
  /** What of a batch comes to the database. */
  batch?(batch: readonly Change[]): readonly Change[];
  /** The rule that the database does not have. */
  without?: Refusal;
  /** What a gateway makes of a refusal. */
  refused?(batch: readonly Change[]): CommitResult | undefined;
  /** What a gateway does of a step. */
  effects?(effects: readonly Effect[]): readonly Effect[];
  gateway?(gateway: Plantable): void;
}
