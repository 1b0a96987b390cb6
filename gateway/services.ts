import { KeyedTaskQueue } from '../shared/lanes.ts';
import type { Runtime } from '../shared/runtime.ts';
import { VirtualClock } from '../shared/virtual-clock.ts';
import { AccountService } from './accounts/service.ts';
import { TokenService } from './accounts/tokens.ts';
import type { AmountEndingRefusals } from './acquirer/amount-endings.ts';
import { Acquirer } from './acquirer/service.ts';
import type { Cluster } from './cluster/cluster.ts';
import type { GatewayConsole } from './console/console.ts';
import { EmulatorServer } from './control/emulator-server.ts';
import { CreditInputQueue } from './credits/credit-input-queue.ts';
import { SecurityQuestions } from './credits/security-questions.ts';
import { CreditService } from './credits/service.ts';
import { PaymentLinkVisits } from './credits/visits.ts';
import { EventStore } from './events/service.ts';
import type { Faults } from './faults/faults.ts';
import { FindingReporter } from './findings/finding-reporter.ts';
import { FindingsService } from './findings/service.ts';
import { GatewayUrl } from './http/gateway-url.ts';
import { type GatewayLifeMoments, GatewayMomentPlans } from './moments/gateway-moments.ts';
import { type LoneOrClusterParts, loneGatewayParts } from './one-or-many.ts';
import { openPaymentService } from './payments/create-payments.ts';
import { OpenPayments } from './payments/moving/open-payments.ts';
import { RefundLimitService } from './refunds/refund-limits.ts';
import { RefundService } from './refunds/service.ts';
import { AllFindings } from './sales/all-findings.ts';
import { BeliefService, SecretBeliefPaths } from './sales/beliefs.ts';
import { SalesService } from './sales/service.ts';
import { NonTerminalSaleReader } from './sales/stored-non-terminal-sales.ts';
import { StoredTerminalSaleReader } from './sales/stored-payments.ts';
import { CardAndBankAccountDirectory } from './saved-cards/card-directory.ts';
import { ContactService } from './saved-cards/contact-service.ts';
import { DebitInputQueue } from './saved-cards/debit-input-queue.ts';
import { DebitService } from './saved-cards/service.ts';
import { readLatestIdentifierTime } from './store/latest-identifier.ts';
import { readLatestStoredTime } from './store/latest-moment.ts';
import type { GatewayStore, StoreParts } from './store/store.ts';
import { PoiServer } from './terminals/poi-server.ts';
import { TerminalService } from './terminals/service.ts';
import { type AddressRules, makeDefaultAddressRules } from './webhooks/addresses.ts';
import { WebhookDeliveryScheduler } from './webhooks/deliveries.ts';
import { postWebhookMessage } from './webhooks/post.ts';
import { WebhookService } from './webhooks/service.ts';

export interface ServiceOptions {
  /** The address of this machine on which the gateway listens. The default is loopback. */
  host?: string;
  /**
   * Additional endings of amounts that decide the host's answer, besides the usual endings. An ending is the last three
   * digits of an amount.
   */
  amountEndings?: AmountEndingRefusals;
  /**
   * The addresses to which webhooks may be sent. By default, a gateway on loopback allows all addresses. Any other
   * gateway allows only public addresses by default.
   */
  webhookAddresses?: AddressRules;
  /**
   * The address at which customers reach the gateway, for payment links. The default is the address on which the
   * gateway listens.
   */
  publicUrl?: string;
  /** The time in real ms for which a virtual clock waits for a webhook's receiver. The default is 2000. */
  webhookTimeoutMs?: number;
  /**
   * Whether the gateway looks for mistakes of POS systems while they use the gateway (docs/lint.md). The default is no.
   */
  lint?: boolean;
  /** The console in the browser; absent if there is none. */
  console?: GatewayConsole;
  /** The other gateways that use the same PostgreSQL database; absent if no other process can use the data. */
  cluster?: Cluster;
  /**
   * The actions that tests have planned for certain moments of payments. A commit is an example of such a moment. If
   * this field is absent, no action is planned.
   */
  moments?: GatewayLifeMoments;
  /** The secret paths at which tests state what the POS believes. If this field is absent, new paths are made. */
  beliefs?: SecretBeliefPaths;
  /** Reports findings to listeners. If this field is absent, a new reporter is made. */
  reporter?: FindingReporter;
}

/** All services of a gateway, by name. An endpoint names the services that it needs: `Pick<Services, 'refunds'>`. */
export type Services = Awaited<ReturnType<typeof openServices>>;

/** The parts that all services need when they are opened. */
interface CommonParts extends StoreParts {
  options: ServiceOptions;
  oneOrMany: LoneOrClusterParts;
}

/**
 * Opens all services over a store, and continues the work that a former process left open. When this function has
 * resolved, let terminals connect to /poi immediately, because the deadlines of their payments are already running.
 */
export async function openServices(runtime: Runtime, store: GatewayStore, options: ServiceOptions = {}) {
  await startAfterStored(runtime, store);
  const { cluster } = options;
  const oneOrMany = cluster
    ? (await import('./cluster/cluster-parts.ts')).makeClusterParts(cluster)
    : loneGatewayParts;
  const common = { runtime, store, options, oneOrMany };
  const faults = await oneOrMany.openFaults(runtime, store);
  const owners = await openOwners(common);
  const links = await openLinks(common, owners);
  const terminalPayments = await openTerminalPayments(common, owners, links);
  const salesAndFindings = openSalesAndFindings(common, owners, links);
  const savedCards = await openSavedCards(common, owners, terminalPayments);
  return {
    runtime,
    store,
    cluster,
    address: new GatewayUrl(options.publicUrl),
    faults,
    ...owners,
    connectedTerminals: () => oneOrMany.connectedTerminals(links.poi, store),
    ...links,
    ...terminalPayments,
    ...salesAndFindings,
    ...savedCards,
    ...(await openWebhooks(common, { ...owners, ...savedCards, faults })),
    duties: oneOrMany.duties,
    console: options.console,
    /** Aborts when the services are stopped. */
    ending: new AbortController(),
  };
}

/**
 * Opens the services for accounts with their tokens, and for terminals. Everything else belongs to an account or to a
 * terminal.
 */
async function openOwners({ runtime, store, oneOrMany: { copies } }: CommonParts) {
  const accounts = await AccountService.open(runtime, store, copies);
  const tokens = new TokenService({ runtime, store, accounts, copies });
  const terminals = await TerminalService.open({ runtime, store, accounts, copies });
  return { accounts, tokens, terminals };
}

type OwnerServices = Awaited<ReturnType<typeof openOwners>>;

/** Opens the journal, and the servers to which terminals and emulators connect. */
async function openLinks({ runtime, store, oneOrMany }: CommonParts, { terminals }: OwnerServices) {
  const poi = new PoiServer(runtime, terminals, store.isShared);
  const emulatorServer = new EmulatorServer(runtime, poi);
  return { poi, emulatorServer, ...(await oneOrMany.everywhere(runtime, emulatorServer)) };
}

type LinkServices = Awaited<ReturnType<typeof openLinks>>;

/** Opens the services for payments on terminals, and the acquirer's host. */
async function openTerminalPayments(
  { runtime, store, options, oneOrMany }: CommonParts,
  { accounts, terminals }: OwnerServices,
  { poi, journal }: LinkServices,
) {
  const open = new OpenPayments();
  const lanes = new KeyedTaskQueue(runtime.inFlight);
  const moments = options.moments ?? new GatewayMomentPlans(runtime).inLife(undefined);
  const acquirer = await Acquirer.open({
    runtime,
    store,
    lanes,
    copies: oneOrMany.copies,
    laneOf: (id) => {
      const state = open.byId(id);
      return state.is === 'none' ? id : state.payment.terminalId;
    },
    amountEndings: options.amountEndings,
    magicAmounts: (terminalId) => {
      const terminal = terminals.byId(terminalId);
      if (terminal?.magicAmounts != null) return { on: terminal.magicAmounts, setBy: 'terminal' };
      return { on: terminal ? accounts.account(terminal.accountId).magicAmounts : true, setBy: 'account' };
    },
  });
  const { payments, explanations } = await openPaymentService({
    runtime,
    store,
    lanes,
    accounts,
    terminals,
    acquirer,
    poi,
    open,
    run: oneOrMany.runPayments,
    journal,
    moments,
  });
  return { acquirer, payments, explanations, moments };
}

type TerminalPaymentServices = Awaited<ReturnType<typeof openTerminalPayments>>;

/** Opens the services that look for mistakes of POS systems: sales, findings, and the beliefs of the POS. */
function openSalesAndFindings(
  { runtime, store, options }: CommonParts,
  { terminals }: OwnerServices,
  { journal, heardAll }: LinkServices,
) {
  const when = whenToFindMistakes(options, heardAll);
  const reporter = options.reporter ?? new FindingReporter();
  const requestFindings = new FindingsService({ runtime, journal, when, reporter });
  const stored = new StoredTerminalSaleReader(store, terminals);
  const storedNonTerminalSales = new NonTerminalSaleReader(store);
  const readsWhileQuiet = when === 'eager';
  const around = {
    runtime,
    journal,
    heardAll,
    readsWhileQuiet,
    reporter: when === 'off' ? undefined : reporter,
  };
  const sales = new SalesService({ ...around, stored, storedNonTerminalSales, findings: requestFindings });
  const findings = new AllFindings({ requests: requestFindings, sales });
  const paths = options.beliefs ?? new SecretBeliefPaths(runtime);
  return { requestFindings, findings, sales, beliefs: new BeliefService({ runtime, sales, paths }) };
}

/** Opens the services for saved cards, debits, refunds and credits, and for the events about them. */
async function openSavedCards(
  { runtime, store, oneOrMany }: CommonParts,
  { accounts }: OwnerServices,
  { acquirer, moments }: Pick<TerminalPaymentServices, 'acquirer' | 'moments'>,
) {
  const { copies, duties } = oneOrMany;
  const events = await EventStore.open(runtime, store, oneOrMany.otherEventSources);
  const directory = new CardAndBankAccountDirectory(store, copies);
  const { dice } = acquirer.ledger;
  const held = () => moments.held();
  const debitTurns = await DebitInputQueue.open({ runtime, store, events, directory, dice, duties, held });
  const debits = new DebitService({ runtime, accounts, directory, turns: debitTurns });
  const refunds = new RefundService({ store, accounts, turns: debitTurns });
  const refundLimits = new RefundLimitService(debitTurns);
  const contacts = new ContactService({ runtime, store, accounts, directory });
  const questions = new SecurityQuestions({ runtime, store, accounts });
  const creditTurns = await CreditInputQueue.open({ runtime, store, events, duties, held });
  const credits = new CreditService({ runtime, store, accounts, directory, turns: creditTurns, questions });
  const visits = new PaymentLinkVisits({ runtime, store, turns: creditTurns, questions });
  return { events, contacts, debitTurns, debits, refunds, refundLimits, credits, questions, visits };
}

async function openWebhooks(
  { runtime, store, options, oneOrMany: { copies, duties } }: CommonParts,
  { accounts, events, faults }: Pick<OwnerServices, 'accounts'> & { events: EventStore; faults: Faults },
) {
  const rules = options.webhookAddresses ?? makeDefaultAddressRules(options.host ?? '127.0.0.1');
  const webhooks = await WebhookService.open({ runtime, store, accounts, rules, copies });
  const patienceMs = options.webhookTimeoutMs;
  const sending = {
    runtime,
    store,
    events,
    webhooks,
    rules,
    faults,
    post: postWebhookMessage,
    patienceMs,
    duties,
  };
  return { webhooks, deliveries: await WebhookDeliveryScheduler.open(sending) };
}

/**
 * Decides when to look for mistakes. If there are several gateways, a gateway that looks for mistakes needs the
 * requests to all gateways, and gets them over NATS. Without NATS, a gateway cannot get these requests, so it looks
 * for no mistakes.
 */
function whenToFindMistakes({ lint, cluster }: ServiceOptions, heardAll: boolean): 'eager' | 'asked' | 'off' {
  if (!lint || !heardAll) return 'off';
  return cluster === undefined ? 'eager' : 'asked';
}

/** Stops all timers. Changes of connections are no longer handled. The next process continues the work that is open. */
export function stopServices(services: Services): void {
  const { payments, poi, debitTurns, credits, requestFindings, sales, ending } = services;
  ending.abort();
  for (const service of [payments, poi, debitTurns, credits, requestFindings, sales]) service.stop();
}

/** Ends the deliveries of webhooks. {@link stopServices} does not end them. */
export async function endDeliveries({ deliveries, events }: Services): Promise<void> {
  await deliveries.stop();
  await events.stop();
}

/**
 * Makes sure that new identifiers sort after all stored identifiers. A virtual clock starts at the latest stored time.
 * So all work that was due at or before this time is due at once (B123).
 */
async function startAfterStored({ clock, identifiers }: Runtime, store: GatewayStore): Promise<void> {
  if (store.isNew) return;
  if (clock instanceof VirtualClock) {
    const moment = await readLatestStoredTime(store);
    if (moment !== undefined) clock.startAt(moment);
  }
  const identifier = await readLatestIdentifierTime(store);
  if (identifier !== undefined) identifiers.startAfter(identifier);
}
