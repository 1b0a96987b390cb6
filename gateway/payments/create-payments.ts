import type { JournalReader } from '../../shared/journal.ts';
import type { Lanes } from '../../shared/lanes.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { AccountService } from '../accounts/service.ts';
import type { Acquirer } from '../acquirer/service.ts';
import { unlessFull } from '../http/unless-full.ts';
import type { Peers } from '../peers/peers.ts';
import type { Store } from '../store/store.ts';
import type { PoiServer } from '../terminals/poi-server.ts';
import type { TerminalService } from '../terminals/service.ts';
import { Acceptance } from './acceptance.ts';
import { Explanations } from './explain.ts';
import { Interpreter } from './interpreter.ts';
import { Keys } from './keys.ts';
import { PaymentLanes } from './lanes.ts';
import { terminalMessages } from './messages.ts';
import { OnTerminals } from './on-terminals.ts';
import type { OpenPayments } from './open-payments.ts';
import { recover } from './recovery.ts';
import { PaymentService } from './service.ts';
import { shareTerminals } from './share-terminals.ts';
import { Waiting } from './waiting.ts';

/** Opens terminal payments, and takes up those that a former process did not conclude. */
export async function createPayments(on: {
  runtime: Runtime;
  store: Store;
  lanes: Lanes;
  accounts: AccountService;
  terminals: TerminalService;
  acquirer: Acquirer;
  poi: PoiServer;
  open: OpenPayments;
  peers: Peers | undefined;
  /** Of all gateways. */
  journal: JournalReader;
}): Promise<{ payments: PaymentService; explanations: Explanations }> {
  const { terminals, poi, peers } = on;
  const waiting = new Waiting(on.runtime.clock);
  const keys = await Keys.open(on);
  const lanes = new PaymentLanes({ ...on, keys });
  const interpreter = new Interpreter({ ...on, waiting, put: (...input) => lanes.put(...input) });
  const run: typeof interpreter.run = (effects) => interpreter.run(effects);
  lanes.onEffects(run);
  const shared = peers && shareTerminals({ ...on, peers, lanes, waiting, run });
  const failed = (terminalId: string, error: unknown) => interpreter.failed(terminalId, error);
  const acceptance = new Acceptance({ ...on, lanes, keys });
  const payments = new PaymentService({ ...on, acceptance, waiting, lanes, interpreter, shared });
  terminals.onDelete(async (id) => {
    const input = () => ({ is: 'terminalDeleted', terminal: terminals.required(id) }) as const;
    await unlessFull(lanes.put(id, 'onTerminal', input));
  });
  poi.handle(terminalMessages({ ...on, lanes, failed }));
  if (!shared) await recover({ ...on, lanes, failed });
  return { payments, explanations: new Explanations({ ...on, onTerminals: new OnTerminals(on) }) };
}
