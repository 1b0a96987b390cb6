import { makePrintable } from '../../shared/printable.ts';
import type { Config, Stack } from '../../stack/index.ts';

/** Returns the one line that a test suite reads from standard output when everything is ready. */
export function readyJson(stack: Stack): string {
  const [token] = stack.tokens;
  return JSON.stringify({
    url: stack.url,
    token: token?.token,
    tokens: stack.tokens,
    controlToken: stack.controlToken,
    among: stack.among,
    terminals: stack.terminals,
    contacts: stack.contacts,
    bankAccounts: stack.bankAccounts,
    beliefs: stack.beliefs,
    readers: stack.readers,
    clock: stack.clock,
    console: stack.gateway.consoleLink() ?? null,
    adyenLocal: stack.gateway.local,
    pid: process.pid,
  });
}

const nexoHeader = {
  ProtocolVersion: '3.0',
  MessageClass: 'Service',
  MessageCategory: 'Payment',
  MessageType: 'Request',
  SaleID: 'till-1',
};

/** The place of a gateway's data, if the gateway keeps any, and the gateway's address. */
type Kept = Pick<Config, 'memory' | 'data' | 'host' | 'publicUrl'>;

/**
 * Returns the text that is printed if there is no screen. It contains commands to paste: one makes a payment, one taps
 * the card that pays, and one charges a saved card.
 */
export function readyText(started: Stack, kept: Kept): string {
  const stack = { ...started, url: kept.publicUrl ?? started.url };
  return [
    `pinpad is ready at ${stack.url}`,
    ...(stack.among ? [stack.among] : []),
    '',
    ...stack.tokens.slice(0, 1).map(({ token }) => `  API token      ${token}`),
    `  control token  ${stack.controlToken}`,
    ...consoleLines(stack, kept),
    ...localLines(stack),
    ...stack.beliefs.slice(1).map(({ account, url }) => makePrintable(`  beliefs        ${url}  ${account}`)),
    ...stack.terminals.map(({ poiId, identifier, store }) =>
      makePrintable(`  terminal       ${identifier}  ${poiId}, ${store}`),
    ),
    ...stack.readers.map(({ poiId, reader }) => `  card reader    ${reader} at ${poiId}`),
    '',
    ...exports(stack),
    ...(stack.emulator ? [] : [terminalsElsewhere(stack, kept), '']),
    ...terminalPayment(stack),
    ...adyenPayment(stack),
    ...tap(stack),
    ...savedCardCharge(stack),
    `The API is described at ${stack.url}/openapi.json. Ctrl-C stops.`,
  ].join('\n');
}

function consoleLines({ gateway, url }: Stack, kept: Kept): string[] {
  const link = gateway.consoleLink();
  if (!link) return noConsole(kept);
  const where = kept.memory ? ` --url ${url} --control-token …` : folderOf(kept);
  return [
    `  console        ${link}`,
    `                 (you can sign in once with this link; "pinpad console${where}" prints another link)`,
  ];
}

/** Says how to switch the console on for a gateway that listens on all addresses of a container. */
function noConsole({ host, publicUrl }: Kept): string[] {
  if (!exposureWarning(host) || publicUrl !== undefined) return [];
  return [
    '  console        off. If the port is published only on this machine, such as 127.0.0.1:8080:8080,',
    '                 --public-url http://localhost:8080 switches the console on',
  ];
}

function localLines({ gateway: { local } }: Stack): string[] {
  if (!local) return [];
  return [
    `  Adyen, local   ${local.url}`,
    `                 (its certificate is signed by ${local.authorityFile})`,
  ];
}

/** Returns the option with which other commands find the gateway by its data folder. */
function folderOf({ data }: Kept): string {
  return data === '.pinpad' ? '' : ` --data ${data}`;
}

/** Returns shell commands that set the variables used in README and docs. */
function exports({
  url,
  tokens: [first],
  controlToken,
  terminals: [terminal],
  beliefs: [beliefs],
}: Stack): string[] {
  const values = {
    URL: url,
    TOKEN: first?.token,
    CONTROL_TOKEN: controlToken,
    TERMINAL: terminal?.identifier,
    PINPAD_BELIEFS_URL: beliefs?.url,
  };
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return [
    'Set these variables for the commands in the documentation:',
    '',
    `  export ${given.map(([name, value]) => `${name}=${value}`).join(' \\\n    ')}`,
    '',
  ];
}

/**
 * Says how to start terminals in other processes. If there are several gateways, terminals dial the balancer, which
 * chooses one of them.
 */
function terminalsElsewhere({ among, url }: Stack, kept: Kept): string {
  if (kept.memory)
    return `Terminals run in other processes; start some with "pinpad terminal --gateway ${url} --count 1 --control-token …".`;
  if (among)
    return 'Terminals run in other processes; start them with "pinpad terminal --gateway ADDRESS", where ADDRESS is the address of your load balancer.';
  return `Terminals run in other processes; start them with "pinpad terminal${folderOf(kept)}".`;
}

function terminalPayment(stack: Stack): string[] {
  const [terminal] = stack.terminals;
  const token = terminal && sandboxToken(stack, terminal.account);
  if (!token) return [];
  return [
    'A payment; the request waits until a card is presented:',
    '',
    `  curl -sS ${stack.url}/terminals/${terminal.identifier}/payment-request \\`,
    `    -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' \\`,
    `    -H "Idempotency-Key: sale-$(date +%s)" \\`,
    `    -d '{"paymentTransaction":{"amountsReq":{"requestedAmount":12.5}}}'`,
    '',
  ];
}

/**
 * Returns the example payment in the form of Adyen's Terminal API, and says how to redirect a program that calls Adyen
 * to this gateway.
 */
function adyenPayment(stack: Stack): string[] {
  const [terminal] = stack.terminals;
  const token = terminal && sandboxToken(stack, terminal.account);
  if (!stack.adyen || !token) return [];
  const sold = { TransactionID: 'sale-1', TimeStamp: '2026-01-01T12:00:00Z' };
  const header = { ...nexoHeader, POIID: terminal.poiId, ServiceID: 'SERVICE' };
  const request = {
    SaleData: { SaleTransactionID: sold },
    PaymentTransaction: { AmountsReq: { Currency: stack.currency, RequestedAmount: 12.5 } },
  };
  const body = JSON.stringify({ SaleToPOIRequest: { MessageHeader: header, PaymentRequest: request } });
  return [
    'A payment in Adyen\'s Terminal API (docs/adyen.md; "pinpad as adyen -- COMMAND" redirects the calls of a program to this gateway):',
    '',
    `  curl -sS ${stack.url}/sync -H 'x-api-key: ${token}' -H 'Content-Type: application/json' \\`,
    `    -d '${body.replace('SERVICE', `'$(date +%s)'`)}'`,
    '',
  ];
}

function tap(stack: Stack): string[] {
  const [terminal] = stack.terminals;
  if (!terminal || !sandboxToken(stack, terminal.account)) return [];
  return [
    'In another window, tap the card:',
    '',
    `  curl -sS ${stack.url}/control/terminals/${terminal.poiId}/tap \\`,
    `    -H 'Authorization: Bearer ${stack.controlToken}' -H 'Content-Type: application/json' \\`,
    `    -d '{"card":"visa-credit"}'`,
    '',
  ];
}

function savedCardCharge(stack: Stack): string[] {
  const contact = stack.contacts.find(({ creditCards }) => creditCards.length > 0);
  const bankAccount = stack.bankAccounts.find(({ account }) => account === contact?.account);
  const token = contact && sandboxToken(stack, contact.account);
  if (!token || !bankAccount) return [];
  return [
    'A charge of a saved card, without a terminal:',
    '',
    `  curl -sS ${stack.url}/contact/${contact.id}/creditCards/${contact.creditCards[0]}/charge \\`,
    `    -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' \\`,
    `    -d '{"amount":25.5,"to_bank_account_id":"${bankAccount.id}","statement":"ORDER 1001"}'`,
    '',
  ];
}

function sandboxToken({ tokens }: Stack, account: string): string | undefined {
  return tokens.find((token) => token.account === account && token.environment === 'sandbox')?.token;
}

/** Says plainly what is exposed if other machines can reach the gateway. */
export function exposureWarning(host: string): string | undefined {
  if (/^(localhost|127\.|::1$)/.test(host)) return undefined;
  return `pinpad: the gateway listens on ${host}. Anyone who can reach this address and has a token can use the payments API. Anyone who has the control token can use the control API, which can do anything.`;
}
