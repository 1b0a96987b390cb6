import type { Language } from '../../shared/emulator/screen.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { CardCatalogue } from '../cards/catalogue.ts';
import type { Pacing } from '../payment/pacing.ts';
import type { TerminalIdentity } from '../payment/terminal-identity.ts';
import type { AcquirerChannel } from './acquirer-channel.ts';
import type { TerminalMemory } from './memory.ts';
import type { OutcomeOutbox } from './outbox.ts';
import type { ProgressReporter } from './progress-reporter.ts';
import type { PlannedFaultTrigger } from './terminal-moments.ts';
import type { VolatileState } from './volatile-state.ts';

/** The parts of a terminal that take part in a payment. */
export interface PaymentParts {
  readonly terminal: TerminalIdentity;
  readonly merchantLanguage: Language;
  readonly runtime: Runtime;
  readonly memory: TerminalMemory;
  readonly cards: CardCatalogue;
  readonly pacing: Pacing;
  readonly host: AcquirerChannel;
  readonly outbox: OutcomeOutbox;
  readonly progress: ProgressReporter;
  readonly moments: PlannedFaultTrigger;
  readonly volatile: VolatileState;
}
