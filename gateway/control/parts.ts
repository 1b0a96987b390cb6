import type { Runtime } from '../../shared/runtime.ts';
import type { AccountService } from '../accounts/service.ts';
import type { TokenService } from '../accounts/tokens.ts';
import type { Acquirer } from '../acquirer/service.ts';
import type { SecurityQuestions } from '../credits/security-questions.ts';
import type { CreditService } from '../credits/service.ts';
import type { EventStore } from '../events/service.ts';
import type { Faults } from '../http/faults.ts';
import type { Explanations } from '../payments/explain.ts';
import type { RefundLimits } from '../refunds/refund-limits.ts';
import type { RefundService } from '../refunds/service.ts';
import type { ContactService } from '../saved-cards/contact-service.ts';
import type { DebitService } from '../saved-cards/service.ts';
import type { Store } from '../store/store.ts';
import type { PoiServer } from '../terminals/poi-server.ts';
import type { TerminalService } from '../terminals/service.ts';
import type { WebhookDeliveries } from '../webhooks/deliveries.ts';
import type { WebhookService } from '../webhooks/service.ts';
import type { EmulatorServer } from './emulator-server.ts';

/** What the control API stands on. */
export interface ControlParts {
  readonly runtime: Runtime;
  readonly store: Store;
  readonly accounts: AccountService;
  readonly tokens: TokenService;
  readonly terminals: TerminalService;
  readonly poi: PoiServer;
  readonly acquirer: Acquirer;
  readonly explanations: Explanations;
  readonly emulators: EmulatorServer;
  readonly contacts: ContactService;
  readonly debits: DebitService;
  readonly refunds: RefundService;
  readonly refundLimits: RefundLimits;
  readonly credits: CreditService;
  readonly questions: SecurityQuestions;
  readonly events: EventStore;
  readonly webhooks: WebhookService;
  readonly deliveries: WebhookDeliveries;
  readonly faults: Faults;
  readonly version: string;
  /** Known once the gateway listens. */
  url(): string;
}
