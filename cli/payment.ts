import { Command } from 'commander';
import { makeJsonPrintable } from '../shared/printable.ts';
import { controlClientOf, withGatewayErrorsExplained } from '../stack/running-gateway.ts';
import { type AttachFlags, addAttachOptions, findRunningGateway } from './attached-gateway.ts';
import { formatFieldLines } from './quoted-lines.ts';

interface PaymentFlags extends AttachFlags {
  json?: boolean;
}

export function makePaymentCommand(): Command {
  const command = new Command('payment')
    .description(
      'Explains how a payment ended at the gateway that runs here, and why (docs/control-api.md). ' +
        'The command prints a line for each field, for each entry of the ledger and for each step of the terminal. Texts are in quotation marks.',
    )
    .argument(
      '<identifier>',
      'the identifier of the payment; it is in the answer to the payment request, and in the output of "pinpad trace --text" and "pinpad lint"',
    )
    .option('--json', 'print one line of JSON');
  return addAttachOptions(command).action((paymentId: string, flags: PaymentFlags) => {
    const gateway = findRunningGateway(flags);
    return withGatewayErrorsExplained(gateway, async () => {
      const params = { path: { paymentId } };
      const payment = await controlClientOf(gateway).GET('/control/payments/{paymentId}', { params });
      console.log(
        flags.json ? makeJsonPrintable(JSON.stringify(payment)) : formatFieldLines(payment).join('\n'),
      );
    });
  });
}
