import type { Runtime } from '../../shared/runtime.ts';
import type { AccountService } from '../accounts/service.ts';
import type { Acquirer } from '../acquirer/service.ts';
import type { Store } from '../store/store.ts';
import type { PoiServer } from '../terminals/poi-server.ts';
import type { TerminalService } from '../terminals/service.ts';
import { Acceptance } from './acceptance.ts';
import { Conclusions } from './conclusion.ts';
import { terminalDeletion } from './deletion.ts';
import { Explanations } from './explain.ts';
import { terminalMessages } from './messages.ts';
import type { OpenPayments } from './open-payments.ts';
import { Recovery } from './recovery.ts';
import { PaymentService } from './service.ts';
import { Waiting } from './waiting.ts';

/** Opens terminal payments, and takes up those that a former process did not conclude. */
export async function createPayments(on: {
  runtime: Runtime;
  store: Store;
  accounts: AccountService;
  terminals: TerminalService;
  acquirer: Acquirer;
  poi: PoiServer;
  open: OpenPayments;
}): Promise<{ payments: PaymentService; explanations: Explanations }> {
  const { terminals, poi } = on;
  const waiting = new Waiting(on.runtime.clock);
  const conclusions = new Conclusions({ ...on, waiting });
  const recovery = new Recovery({ ...on, waiting, conclusions });
  const acceptance = new Acceptance({ ...on, recovery });
  const payments = new PaymentService({ ...on, acceptance, waiting, conclusions, recovery });
  terminals.onDelete(terminalDeletion({ ...on, conclusions, recovery }));
  poi.handle(terminalMessages({ ...on, conclusions, recovery }));
  await recovery.recover();
  return { payments, explanations: new Explanations(on) };
}
