import { Command, Option } from 'commander';
import { ApiError, createApiClient } from '../client/api-client.ts';
import type { paths } from '../client/openapi-types.ts';
import { systemClock } from '../shared/clock.ts';
import { explainConnectionError } from '../shared/connection-error.ts';
import { makeJsonPrintable, makePrintable } from '../shared/printable.ts';
import { systemRandom } from '../shared/random.ts';
import {
  abortPayment,
  askWithRetries,
  describePaymentResult,
  fetchFromGateway,
  makeCustomerReceiptLines,
  makeNotAGatewayError,
  makeSaleIdempotencyKey,
  PaymentRequestRefusedError,
  type RunningNote,
  readRunningNote,
  StartError,
  type TakePaymentOptions,
  takePayment,
} from '../stack/running-gateway.ts';
import { findGatewayUrl } from './attached-gateway.ts';
import { makeOption, makeTokenOption, parseAmount, parseGatewayAddress } from './options.ts';
import { printScreensOfPayment } from './show-screens.ts';

/** The ways to present a card, as a payment request names them. */
const entryModes = ['icc', 'contactless', 'magStripe', 'keyed'] as const;

interface PayFlags {
  url?: string;
  token?: string;
  terminal?: string;
  data: string;
  controlToken?: string;
  tip?: boolean;
  language?: string;
  reference?: string;
  brand?: string[];
  entry?: string[];
  key?: string;
  json?: boolean;
  receipt?: boolean;
}

export function makePayCommand(): Command {
  return new Command('pay')
    .description(
      'Sends a payment request to a terminal as a careful point of sale does: it sends an Idempotency-Key, follows a 303 to the status endpoint, and asks again if the connection breaks. ' +
        'Ctrl-C aborts the payment.\n\n' +
        'Without --url the command uses the gateway that runs with the data folder of --data.\n' +
        'Exit code: 0 if the payment was approved, 1 if it was not approved or its outcome is unknown, 2 if the request was refused or no gateway was found.',
    )
    .argument('<amount>', 'the amount in major units, such as 12.50', parseAmount)
    .addOption(makeOption('--url <url>', 'the address of the gateway').argParser(parseGatewayAddress))
    .addOption(makeTokenOption('--token <token>', 'the API token'))
    .addOption(
      makeOption('--terminal <id>', 'the UUID or poi_id of the terminal; by default the first terminal'),
    )
    .addOption(
      makeOption('--data <folder>', 'the data folder of a gateway that runs on this machine').default(
        '.pinpad',
      ),
    )
    .addOption(
      makeTokenOption(
        '--control-token <token>',
        'the control token of the gateway at --url; live progress needs this token',
      ),
    )
    .option('--tip', 'ask for a tip (15, 18, 20 % and custom)')
    .option('--language <code>', "the customer's language, e.g. fr")
    .option('--reference <text>', 'the saleReferenceId of the request')
    .option('--brand <brand...>', 'the allowedPaymentBrand of the request: two or more brands')
    .addOption(new Option('--entry <mode...>', 'the forceEntryMode of the request').choices(entryModes))
    .option('--key <key>', 'the Idempotency-Key; by default a new key')
    .option('--no-receipt', 'do not print the customer receipt')
    .option('--json', 'print the IPPTransactionResult as JSON')
    .action(pay);
}

async function pay(requestedAmount: number, flags: PayFlags): Promise<void> {
  const sale = await saleOf(requestedAmount, flags);
  const stop = new AbortController();
  let aborting = false;
  const progress = showProgress(flags, sale, stop.signal);
  // A signal aborts the payment. Otherwise the terminal would be busy until the payment times out, although no point of
  // sale waits for the payment any more.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (aborting) return process.exit(130);
      aborting = true;
      console.error('Aborting …');
      abortPayment(sale).catch((error: Error) => console.error(makePrintable(`pinpad: ${error.message}`)));
    });
  try {
    const result = await takePayment(sale, systemClock);
    console.log(
      flags.json ? makeJsonPrintable(JSON.stringify(result, null, 2)) : describePaymentResult(result),
    );
    if (!flags.json && flags.receipt !== false)
      for (const line of makeCustomerReceiptLines(result)) console.log(`  ${line}`);
    process.exitCode = result.response.result === 'success' ? 0 : 1;
  } catch (error) {
    if (error instanceof PaymentRequestRefusedError)
      throw new StartError(makePrintable(`${error.status} ${error.code}: ${error.message}`));
    console.error(
      makePrintable(
        `pinpad: the outcome is unknown: ${explainConnectionError(error)}. To see the outcome, run "pinpad pay" again with --key ${sale.idempotencyKey}. This does not make a second payment.`,
      ),
    );
    process.exitCode = 1;
  } finally {
    stop.abort();
    await progress;
  }
}

async function saleOf(requestedAmount: number, flags: PayFlags): Promise<TakePaymentOptions> {
  const running = flags.url ? undefined : readRunningNote(flags.data);
  const url = findGatewayUrl(flags);
  const token = flags.token ?? running?.token;
  if (!token) throw new StartError('--token (or PINPAD_TOKEN) is needed with --url');
  const conditions = {
    ...(flags.language ? { customerLanguage: flags.language } : {}),
    ...(flags.brand ? { allowedPaymentBrand: flags.brand } : {}),
    ...(flags.entry ? { forceEntryMode: flags.entry } : {}),
  };
  return {
    url,
    by: 'pay',
    token,
    terminalId: await terminalOf(url, token, flags.terminal, running),
    idempotencyKey: flags.key ?? makeSaleIdempotencyKey(systemRandom, 'pay'),
    body: {
      paymentTransaction: { amountsReq: { requestedAmount } },
      ...(flags.reference ? { saleData: { saleReferenceId: flags.reference } } : {}),
      ...(Object.keys(conditions).length > 0 ? { transactionConditions: conditions } : {}),
      ...(flags.tip ? { gratuity: { enabled: true } } : {}),
    },
    onRecovery: (line) => console.error(makePrintable(`  ${line} …`)),
  };
}

async function terminalOf(
  url: string,
  token: string,
  wanted: string | undefined,
  running: RunningNote | undefined,
): Promise<string> {
  const known = running?.terminals.find(
    ({ poiId, identifier }) => !wanted || wanted === poiId || wanted === identifier,
  );
  if (known) return known.identifier;
  const terminals = await terminalsOf(url, token);
  const found = terminals.find(
    ({ poi_id, identifier }) => !wanted || wanted === poi_id || wanted === identifier,
  );
  if (found) return found.identifier;
  const names = terminals.map(({ poi_id }) => poi_id).join(', ');
  if (names === '') throw new StartError('the account of this token has no terminal');
  throw new StartError(`there is no terminal ${wanted}; this account has ${names}`);
}

/**
 * Lists the terminals. If the gateway says that it is unavailable at present (502, 503 or 504), asks again. A payment
 * is repeated in the same way.
 */
function terminalsOf(url: string, token: string) {
  return askWithRetries(
    () => createApiClient<paths>({ url, token, fetch: fetchFromGateway }).GET('/terminals'),
    {
      clock: systemClock,
      isAnswer: (error) => !(error instanceof ApiError && [502, 503, 504].includes(error.status)),
      onRecovery: (error) =>
        console.error(
          makePrintable(`  Asking for the terminals again, because ${explainConnectionError(error)} …`),
        ),
    },
  ).catch((error: Error) => {
    if (error instanceof StartError) throw error;
    if (error instanceof SyntaxError) throw makeNotAGatewayError(url);
    if (!(error instanceof ApiError))
      throw new StartError(`no gateway answers at ${url}: ${explainConnectionError(error)}`);
    if ([401, 403].includes(error.status))
      throw new StartError(`the gateway at ${url} answered ${error.status}: is the token right?`);
    throw new StartError(makePrintable(`${url}: ${error.message}`));
  });
}

/**
 * Prints what happens on the terminal while the gateway holds the request open. Prints this only if there is a control
 * token, which is needed to read the journal.
 */
async function showProgress(flags: PayFlags, sale: TakePaymentOptions, signal: AbortSignal): Promise<void> {
  const controlToken =
    flags.controlToken ?? (flags.url ? undefined : readRunningNote(flags.data)?.controlToken);
  console.error(`Sending a payment to terminal ${sale.terminalId} with the key ${sale.idempotencyKey}`);
  if (!controlToken) return;
  await printScreensOfPayment({ url: sale.url, controlToken, signal }, sale.idempotencyKey);
}
