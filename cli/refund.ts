import { Command } from 'commander';
import { ApiError } from '../client/api-client.ts';
import type { PaymentSummary } from '../client/openapi-types.ts';
import { systemClock } from '../shared/clock.ts';
import { explainConnectionError } from '../shared/connection-error.ts';
import { formatDecimalAmount, majorToMinorOrFault } from '../shared/money.ts';
import { makeJsonPrintable, makePrintable } from '../shared/printable.ts';
import { makeAlphanumericText, systemRandom } from '../shared/random.ts';
import {
  type ControlledGateway,
  controlClientOf,
  giveBack,
  readRunningNote,
  StartError,
  withGatewayErrorsExplained,
} from '../stack/running-gateway.ts';
import { type AttachFlags, addAttachOptions, findRunningGateway } from './attached-gateway.ts';
import { makeOption, parseAmount } from './options.ts';
import { printScreensOfPayment } from './show-screens.ts';

interface RefundFlags extends AttachFlags {
  payment?: string;
  terminal?: string;
  key?: string;
  json?: boolean;
  receipt?: boolean;
}

export function makeRefundCommand(): Command {
  const command = new Command('refund')
    .description(
      'Gives money back at a terminal. With --payment the command gives back a payment on a terminal, and needs no card. If you give no amount, it gives back everything that is left of this payment. ' +
        'Without --payment the command gives the amount to the card that is presented. Ctrl-C presses the red key.\n\n' +
        'Without --url the command uses the gateway that runs with the data folder of --data.\n' +
        'Exit code: 0 if the money was given back, 1 if it was not given back or the outcome is unknown, 2 if the request was refused or no gateway was found.',
    )
    .argument('[amount]', 'the amount in major units, such as 12.50', parseAmount)
    .option('--payment <id>', 'the identifier of the payment to give back')
    .addOption(
      makeOption(
        '--terminal <id>',
        'the UUID or poi_id of the terminal; by default the terminal of the payment, or the first terminal',
      ),
    )
    .option('--key <key>', 'the Idempotency-Key; by default a new key')
    .option('--no-receipt', 'do not print the customer receipt')
    .option('--json', 'print the payment as JSON, as GET /control/payments returns it');
  return addAttachOptions(command).action(refund);
}

async function refund(asked: number | undefined, flags: RefundFlags): Promise<void> {
  const { payment, key = `pinpad-refund-${makeAlphanumericText(systemRandom, 10)}` } = flags;
  if (asked === undefined && payment === undefined)
    throw new StartError('give an amount, or use --payment to name the payment');
  const gateway = findRunningGateway(flags);
  const terminal = await withGatewayErrorsExplained(gateway, () => terminalOf(gateway, flags));
  const stop = new AbortController();
  console.error(makePrintable(`Asking terminal ${terminal} to give money back, with the key ${key}`));
  const progress = printScreensOfPayment({ ...gateway, signal: stop.signal }, `control ${key}`);
  const stopCancelling = cancelBySignal(gateway, terminal);
  try {
    const onRecovery = (line: string) => console.error(makePrintable(`  ${line} …`));
    const order = { ...gateway, terminal, payment, amount: asked, idempotencyKey: key, onRecovery };
    const result = await giveBack(order, systemClock).finally(stopCancelling);
    // The exit code is set before the output is printed, because a failure to print sets another exit code, which must
    // remain.
    process.exitCode = result.result === 'success' ? 0 : 1;
    console.log(flags.json ? makeJsonPrintable(JSON.stringify(result, null, 2)) : described(result));
    if (!flags.json && flags.receipt !== false) await printReceipt(gateway, terminal, result);
  } catch (error) {
    if (error instanceof StartError) throw error;
    if (error instanceof ApiError && error.status < 500) throw new StartError(makePrintable(error.message));
    console.error(
      makePrintable(
        `pinpad: the outcome is unknown: ${explainConnectionError(error)}. To see the outcome, run "pinpad refund" again with --key ${key}. This does not give the money back a second time.`,
      ),
    );
    process.exitCode = 1;
  } finally {
    stop.abort();
    await progress;
  }
}

/**
 * Returns the terminal for the refund: the UUID or poi_id that the options name, or else the poi_id of the payment's
 * terminal, or else that of the first terminal.
 */
async function terminalOf(gateway: ControlledGateway, flags: RefundFlags): Promise<string> {
  const { terminal, payment, url, data } = flags;
  if (terminal !== undefined) return terminal;
  const control = controlClientOf(gateway);
  const found =
    payment === undefined
      ? undefined
      : await control.GET('/control/payments/{paymentId}', { params: { path: { paymentId: payment } } });
  const known = found?.poiId ?? (url ? undefined : readRunningNote(data)?.terminals[0]?.poiId);
  if (known) return known;
  const [first] = await control.GET('/control/terminals');
  if (!first) throw new StartError('the gateway has no terminal');
  return first.poiId;
}

/**
 * Cancels the refund when a signal asks the process to end. Otherwise, a refund that waits for a card would occupy the
 * terminal until it times out. If the host was asked already, the refund is still carried out. Returns a function that
 * must be called after the refund. From then on, a signal no longer presses the terminal's red key, which could cancel
 * another payment.
 */
function cancelBySignal(gateway: ControlledGateway, terminal: string): () => void {
  let cancelling = false;
  const cancel = () => {
    if (cancelling) return process.exit(130);
    cancelling = true;
    console.error('Cancelling …');
    const params = { path: { terminalId: terminal } };
    controlClientOf(gateway)
      .POST('/control/terminals/{terminalId}/press', { params, body: { key: 'cancel' } })
      .catch((error: Error) => console.error(makePrintable(`pinpad: ${error.message}`)));
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, cancel);
  return () => {
    for (const signal of signals) process.off(signal, cancel);
  };
}

/** Describes a refund in one line that a person at a POS understands. */
function described(found: PaymentSummary): string {
  const { result, total, currency, kind, original, errorCondition, reason, identifier } = found;
  const parts =
    result === 'success'
      ? [
          `GIVEN BACK ${currency} ${formatDecimalAmount(Number(majorToMinorOrFault(total ?? 0, currency)), currency)}`,
          kind === 'reversal' ? `of ${original}` : 'to the card',
        ]
      : [`NOT GIVEN BACK: ${errorCondition}`, reason];
  return makePrintable([...parts, identifier].filter(Boolean).join(' · '));
}

/** Prints the receipt. Prints nothing if the terminal printed none, or if the terminal is not emulated here. */
async function printReceipt(
  gateway: ControlledGateway,
  terminalId: string,
  { identifier }: PaymentSummary,
): Promise<void> {
  const params = { path: { terminalId } };
  const printed = await controlClientOf(gateway)
    .GET('/control/terminals/{terminalId}/receipts', { params })
    .catch(() => []);
  const receipt = printed.findLast(
    ({ copy, transactionId }) => copy === 'customerReceipt' && transactionId === identifier,
  );
  for (const { text } of receipt?.lines ?? []) console.log(`  ${makePrintable(text)}`);
}
