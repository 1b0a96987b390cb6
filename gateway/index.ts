import { join } from 'node:path';
import packageJson from '../package.json' with { type: 'json' };
import type { Clock } from '../shared/clock.ts';
import { createRuntime } from '../shared/create-runtime.ts';
import { openDataFolder } from '../shared/data-folder.ts';
import type { Runtime } from '../shared/runtime.ts';
import { StartError } from '../shared/start-error.ts';
import { LinkServer } from '../shared/transport/link-server.ts';
import { VirtualClock } from '../shared/virtual-clock.ts';
import { hashSecret, makeSecret } from './accounts/secret.ts';
import type { AccountService } from './accounts/service.ts';
import type { TokenService } from './accounts/tokens.ts';
import type { AmountEndings } from './acquirer/amount-endings.ts';
import type { Acquirer } from './acquirer/service.ts';
import { EmulatorServer } from './control/emulator-server.ts';
import { createCardOnFile } from './create-card-on-file.ts';
import { createCredits } from './create-credits.ts';
import type { SecurityQuestions } from './credits/security-questions.ts';
import type { CreditService } from './credits/service.ts';
import { EventStore } from './events/service.ts';
import { Faults } from './http/faults.ts';
import { sameSecret } from './http/guards.ts';
import type { RateLimit } from './http/rate-limit.ts';
import { HttpServer } from './http/server.ts';
import { allEndpoints, openapiDocument } from './openapi.ts';
import { createPayments } from './payments/create-payments.ts';
import type { Explanations } from './payments/explain.ts';
import type { PaymentService } from './payments/service.ts';
import type { RefundLimits } from './refunds/refund-limits.ts';
import type { RefundService } from './refunds/service.ts';
import type { ContactService } from './saved-cards/contact-service.ts';
import type { DebitService } from './saved-cards/service.ts';
import { latestMomentMs } from './store/latest-moment.ts';
import { openStore, type Store } from './store/store.ts';
import type { TerminalService } from './terminals/service.ts';
import { type AddressRules, defaultAddressRules } from './webhooks/addresses.ts';
import { WebhookDeliveries } from './webhooks/deliveries.ts';
import { WebhookService } from './webhooks/service.ts';

export { StartError } from '../shared/start-error.ts';
export { type EventType, eventDescriptions, type StoredEventView } from './events/schemas.ts';
export { ApiError } from './http/errors.ts';
export { type RateLimit, rateLimit } from './http/rate-limit.ts';
export { openapiDocument } from './openapi.ts';
export { type AddressRules, addressRules, defaultAddressRules } from './webhooks/addresses.ts';
export { type WebhookInput, webhookInput } from './webhooks/schemas.ts';
export { makeWebhookSecret, signedMessage } from './webhooks/signature.ts';

export interface GatewayOptions {
  /** An address of this machine; loopback when absent. */
  host?: string;
  /** 0 or absent takes any free port. */
  port?: number;
  /** Folder of the database file, made when it is not there. Absent keeps nothing. */
  dataFolder?: string;
  /** Guards /control; made when absent. */
  controlToken?: string;
  rateLimit?: RateLimit;
  /** Magic amounts beside the known ones, by their last three digits. */
  amountEndings?: AmountEndings;
  /** Which addresses webhooks may be sent to. When absent a gateway on loopback allows all, another only public ones. */
  webhookAddresses?: AddressRules;
  /** Where customers reach the gateway, for payment links; the address it listens on when absent. */
  publicUrl?: string;
  /** How long, on the real clock, a virtual clock waits for a webhook's receiver; 2000 when absent. */
  webhookTimeoutMs?: number;
}

/** A running gateway, and its services for programs that embed it. */
export interface Gateway {
  readonly url: string;
  readonly controlToken: string;
  readonly accounts: AccountService;
  readonly tokens: TokenService;
  readonly terminals: TerminalService;
  readonly payments: PaymentService;
  readonly explanations: Explanations;
  readonly acquirer: Acquirer;
  readonly contacts: ContactService;
  readonly debits: DebitService;
  readonly refunds: RefundService;
  readonly refundLimits: RefundLimits;
  readonly credits: CreditService;
  readonly questions: SecurityQuestions;
  readonly events: EventStore;
  readonly webhooks: WebhookService;
  readonly deliveries: WebhookDeliveries;
  /** The OpenAPI document as GET /openapi.json serves it. */
  openapi(): object;
  /** Answers what is open (decision 53), ends the links and lets go of port and file. A second call waits for the first. */
  close(): Promise<void>;
}

/**
 * Starts a gateway. What a former one left open in the same folder is taken up (design §6).
 *
 * @throws StartError with one line: the port is taken, the folder cannot be written or is another gateway's.
 * @example
 * const gateway = await createGateway({}, createRuntime());
 * console.log(`${gateway.url}/openapi.json`);
 * await gateway.close();
 */
export async function createGateway(
  options: GatewayOptions = {},
  runtime: Runtime = createRuntime(),
): Promise<Gateway> {
  const store = await openData(options.dataFolder, runtime);
  try {
    await goOn(runtime.clock, store);
    return await serve(options, runtime, store);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function serve(options: GatewayOptions, runtime: Runtime, store: Store): Promise<Gateway> {
  const controlToken = options.controlToken ?? makeSecret(runtime.random, 'control_');
  const payments = await createPayments(runtime, store, { amountEndings: options.amountEndings });
  const { accounts, tokens, terminals, acquirer, poi, explanations } = payments;
  const events = await EventStore.open(runtime, store);
  const cardOnFile = await createCardOnFile({ runtime, store, accounts, acquirer, events });
  const { contacts, debits, refunds, refundLimits } = cardOnFile;
  let url = '';
  const baseUrl = () => options.publicUrl ?? url;
  const paymentLinks = await createCredits({ runtime, store, accounts, events, baseUrl });
  const { credits, questions } = paymentLinks;
  const rules = options.webhookAddresses ?? defaultAddressRules(options.host ?? '127.0.0.1');
  const webhooks = await WebhookService.open({ runtime, store, accounts, rules });
  const patienceMs = options.webhookTimeoutMs;
  const deliveries = await WebhookDeliveries.open({ runtime, store, events, webhooks, rules, patienceMs });
  const stop = () => {
    payments.stop();
    cardOnFile.stop();
    paymentLinks.stop();
  };
  const emulators = new EmulatorServer(runtime, {
    admit: (request) => poi.admit(request),
    holdsKey: (poiId, deviceKey) => {
      const hash = terminals.byPoiId(poiId)?.deviceKeyHash;
      return hash !== undefined && sameSecret(hashSecret(deviceKey), hash);
    },
  });
  const faults = new Faults(runtime.identifiers);
  const served = [...payments.endpoints, ...cardOnFile.endpoints, ...paymentLinks.endpoints];
  const endpoints = allEndpoints(served, {
    runtime,
    store,
    accounts,
    tokens,
    terminals,
    poi,
    acquirer,
    explanations,
    emulators,
    contacts,
    debits,
    refunds,
    refundLimits,
    credits,
    questions,
    events,
    webhooks,
    deliveries,
    faults,
    version: packageJson.version,
    url: () => url,
  });
  const { rateLimit } = options;
  const authenticate = (header: string | undefined) => tokens.authenticate(header);
  const http = new HttpServer({ endpoints, authenticate, controlToken, rateLimit, faults }, runtime);
  const links = new LinkServer(http.server, runtime);
  links.serve('/poi', poi);
  links.serve('/emulator', emulators);
  try {
    ({ url } = await http.listen(options.host ?? '127.0.0.1', options.port ?? 0));
  } catch (error) {
    stop();
    await deliveries.stop();
    events.stop();
    throw error;
  }
  let closing: Promise<void> | undefined;
  const close = async () => {
    await http.close({
      close: () => {
        stop();
        links.close();
      },
      terminate: () => links.terminate(),
    });
    await deliveries.stop();
    events.stop();
    await store.close();
  };
  return {
    url,
    controlToken,
    accounts,
    tokens,
    terminals,
    payments: payments.service,
    explanations,
    acquirer,
    contacts,
    debits,
    refunds,
    refundLimits,
    credits,
    questions,
    events,
    webhooks,
    deliveries,
    openapi: () => openapiDocument(url),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** A virtual clock goes on where what is stored left it; what was due by then comes due (decision 61). */
async function goOn(clock: Clock, store: Store): Promise<void> {
  if (!(clock instanceof VirtualClock)) return;
  const latest = await latestMomentMs(store);
  if (latest !== undefined) clock.startAt(latest);
}

async function openData(folder: string | undefined, { inFlight, journal }: Runtime): Promise<Store> {
  if (folder === undefined) return openStore({ file: ':memory:', inFlight });
  const warn = (message: string) => journal.add('warning', { message });
  const file = join(openDataFolder(folder, warn), 'pinpad.sqlite');
  try {
    return await openStore({ file, inFlight });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY')
      throw new StartError(`another gateway keeps its data in ${folder}; stop it, or choose another folder`);
    const why = error instanceof Error ? error.message : String(error);
    throw new StartError(`cannot keep data in ${file}: ${why}`);
  }
}
