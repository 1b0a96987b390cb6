import type { makeClusterPaymentEngine } from '../../../gateway/cluster/payments/run-cluster-payments.ts';
import type { Effect } from '../../../gateway/payments/core/effects.ts';
import type { OpenPayments } from '../../../gateway/payments/moving/open-payments.ts';
import type { PaymentWaiters } from '../../../gateway/payments/moving/waiters.ts';
import type { RowChange } from '../../../gateway/store/schema.ts';
import type { CommitResult } from '../../../shared/database/change.ts';
import type { Links } from './links.ts';
import type { RefusalCause } from './shared-disk.ts';

/** The parts of a gateway into which a bug may be planted. */
interface Plantable {
  readonly links: Links;
  readonly open: OpenPayments;
  readonly waiting: PaymentWaiters;
  readonly shared: ReturnType<typeof makeClusterPaymentEngine>;
}

/** A bug in two gateways or their database. Each part that is given here replaces the correct part of the product. */
export interface TwoOwnersBugParts {
  /** Returns those changes of a batch that really reach the database. */
  batch?(batch: readonly RowChange[]): readonly RowChange[];
  /** A constraint that the database does not enforce. */
  without?: RefusalCause;
  /** Returns the result that a gateway wrongly assumes for a refused batch. */
  refused?(batch: readonly RowChange[]): CommitResult | undefined;
  /** Returns those effects of a step that a gateway really runs. */
  effects?(effects: readonly Effect[]): readonly Effect[];
  gateway?(gateway: Plantable): void;
}
