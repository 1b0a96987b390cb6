import type { Runtime } from '../../shared/runtime.ts';
import { AccountService } from '../accounts/service.ts';
import { TokenService } from '../accounts/tokens.ts';
import type { AmountEndings } from '../acquirer/amount-endings.ts';
import { Acquirer } from '../acquirer/service.ts';
import type { AnyEndpoint } from '../http/endpoint.ts';
import { latestIdentifierMs } from '../store/latest-identifier.ts';
import type { Store } from '../store/store.ts';
import { PoiServer } from '../terminals/poi-server.ts';
import { terminalEndpoints } from '../terminals/routes.ts';
import { TerminalService } from '../terminals/service.ts';
import { Acceptance } from './acceptance.ts';
import { Conclusions } from './conclusion.ts';
import { terminalDeletion } from './deletion.ts';
import { Explanations } from './explain.ts';
import { terminalMessages } from './messages.ts';
import { OpenPayments } from './open-payments.ts';
import { Recovery } from './recovery.ts';
import { paymentEndpoints } from './routes.ts';
import { PaymentService } from './service.ts';
import { Waiting } from './waiting.ts';

/** The heart of the gateway, wired: everything terminal payments stand on. */
export interface Payments {
  readonly accounts: AccountService;
  readonly tokens: TokenService;
  readonly terminals: TerminalService;
  readonly acquirer: Acquirer;
  /** Serve it at /poi. */
  readonly poi: PoiServer;
  readonly service: PaymentService;
  readonly explanations: Explanations;
  /** The operations of the specification's §4.1–4.6. */
  readonly endpoints: readonly AnyEndpoint[];
  /** From now on nothing begins and links are not reported: what is open is the next process's. */
  stop(): void;
}

/**
 * Opens everything over a store. Payments that a former process did not conclude are taken up, so serve /poi at
 * once: their terminals have until their deadlines to come back.
 */
export async function createPayments(
  runtime: Runtime,
  store: Store,
  options: { amountEndings?: AmountEndings | undefined } = {},
): Promise<Payments> {
  const latest = await latestIdentifierMs(store);
  if (latest !== undefined) runtime.identifiers.startAfter(latest);
  const accounts = await AccountService.open(runtime, store);
  const tokens = new TokenService(runtime, store, accounts);
  const terminals = await TerminalService.open(runtime, store, accounts);
  const open = new OpenPayments();
  const acquirer = await Acquirer.open(runtime, store, {
    openPayment: (id) => {
      const payment = open.byId(id);
      return payment?.concluding ? undefined : payment;
    },
    amountEndings: options.amountEndings,
    magicAmounts: (terminalId) => {
      const terminal = terminals.byId(terminalId);
      if (terminal?.magicAmounts != null) return { on: terminal.magicAmounts, setBy: 'terminal' };
      return { on: terminal ? accounts.account(terminal.accountId).magicAmounts : true, setBy: 'account' };
    },
  });
  const poi = new PoiServer(runtime, terminals);
  const waiting = new Waiting(runtime.clock);
  const conclusions = new Conclusions({ runtime, store, acquirer, poi, open, waiting });
  const recovery = new Recovery({ runtime, store, terminals, poi, open, waiting, conclusions });
  const acceptance = new Acceptance({
    runtime,
    store,
    accounts,
    terminals,
    acquirer,
    poi,
    open,
    recovery,
  });
  const service = new PaymentService({
    runtime,
    store,
    acceptance,
    terminals,
    open,
    waiting,
    conclusions,
    recovery,
  });
  terminals.onDelete(terminalDeletion({ runtime, acquirer, conclusions, open, recovery }));
  poi.handle(terminalMessages({ runtime, store, acquirer, poi, open, conclusions, recovery }));
  await recovery.recover();
  return {
    accounts,
    tokens,
    terminals,
    acquirer,
    poi,
    service,
    explanations: new Explanations(runtime, store, terminals, acquirer, open),
    endpoints: [...terminalEndpoints(terminals), ...paymentEndpoints(service)],
    stop: () => {
      recovery.stop();
      acquirer.stop();
      poi.stop();
    },
  };
}
