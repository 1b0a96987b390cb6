import type { Clock } from '../../shared/clock.ts';
import type { CommitResult } from '../../shared/database/change.ts';
import { Database, type DatabaseHealthListener } from '../../shared/database/database.ts';
import type { InFlightTracker } from '../../shared/in-flight.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { terminalPayments } from './migrations/0001-terminal-payments.ts';
import { savedCards } from './migrations/0002-saved-cards.ts';
import { creditsAndWebhooks } from './migrations/0003-credits-and-webhooks.ts';
import { ledgerAttempts } from './migrations/0004-attempts.ts';
import { deletedTerminals } from './migrations/0005-deleted-terminals.ts';
import { unreadableMessageCounts } from './migrations/0006-refusals.ts';
import { idempotencyKeyUses } from './migrations/0007-key-uses.ts';
import { neutralOutcomes } from './migrations/0008-outcomes.ts';
import { manyGateways } from './migrations/0009-many-gateways.ts';
import { sharedDueWork } from './migrations/0010-due-elsewhere.ts';
import { sharedChangesAndRateLimits } from './migrations/0011-changes-and-limits.ts';
import { sharedSecrets } from './migrations/0012-shared-secrets.ts';
import { consoleAndFaults } from './migrations/0013-console-and-faults.ts';
import { terminalOwnerDials } from './migrations/0014-numbered-dials.ts';
import { terminalNumbers } from './migrations/0015-terminal-numbers.ts';
import { aimedFaults } from './migrations/0019-aimed-faults.ts';
import { saleReferences } from './migrations/0020-sale-references.ts';
import { paymentDialects } from './migrations/0021-dialects.ts';
import { awaitedResults } from './migrations/0022-awaited-results.ts';
import { givingBack } from './migrations/0023-giving-back.ts';
import { failedPaymentReferences } from './migrations/0024-failed-references.ts';
import fresh from './migrations/fresh.json' with { type: 'json' };
import type { GatewayTables } from './schema.ts';

/** The migrations. Each migration runs once, in the order of the names. Never change a migration that was released. */
export const gatewayMigrations = {
  '0001-terminal-payments': terminalPayments,
  '0002-saved-cards': savedCards,
  '0003-credits-and-webhooks': creditsAndWebhooks,
  '0004-attempts': ledgerAttempts,
  '0005-deleted-terminals': deletedTerminals,
  '0006-refusals': unreadableMessageCounts,
  '0007-key-uses': idempotencyKeyUses,
  '0008-outcomes': neutralOutcomes,
  '0009-many-gateways': manyGateways,
  '0010-due-elsewhere': sharedDueWork,
  '0011-changes-and-limits': sharedChangesAndRateLimits,
  '0012-shared-secrets': sharedSecrets,
  '0013-console-and-faults@0012': consoleAndFaults,
  '0014-numbered-dials@0012': terminalOwnerDials,
  '0015-terminal-numbers@0012': terminalNumbers,
  '0019-aimed-faults@0012': aimedFaults,
  '0020-sale-references@0012': saleReferences,
  '0021-dialects@0012': paymentDialects,
  '0022-awaited-results@0012': awaitedResults,
  '0023-giving-back@0012': givingBack,
  '0024-failed-references@0012': failedPaymentReferences,
};

/** The store of all data that must survive a restart of the gateway. */
export type GatewayStore = Database<GatewayTables>;

/** The parts with which nearly every service of the gateway works. */
export interface StoreParts {
  runtime: Runtime;
  store: GatewayStore;
}

/**
 * The place of the data. For SQLite, `file` is the name of a file, or `:memory:` for a database in memory. For
 * PostgreSQL, `url` is the URL of a database, and `clock` is the machine's clock.
 */
type StorePlace = { file: string; mustHold?: boolean } | { url: string; clock: Clock };

/**
 * Opens the gateway's database, and runs the migrations that are missing. Only this process may use an SQLite file. If
 * two gateways used one file, each would handle the other's payments too. On PostgreSQL the gateways share the work
 * (gateway/cluster).
 */
export function openGatewayStore(
  options: StorePlace & { inFlight?: InFlightTracker; watcher?: DatabaseHealthListener },
): Promise<GatewayStore> {
  const alone = 'file' in options ? { exclusive: true } : {};
  return Database.open<GatewayTables>({ ...options, ...alone, migrations: gatewayMigrations, fresh });
}

/**
 * Resolves if the database applies the commit.
 *
 * @throws the database's error if it refused the commit
 */
export async function throwIfCommitRefused(commit: Promise<CommitResult>): Promise<void> {
  const result = await commit;
  if (result.is === 'refused') throw result.error;
}
