import { readConsoleFile } from '../console/index.ts';
import type { ConsoleSuppliedParts, ConsoleWedgeReaders } from '../gateway/index.ts';
import type { Runtime } from '../shared/runtime.ts';
import type { Config } from './config.ts';
import { describePaymentResult } from './describe-outcome.ts';
import { isLocalOnly } from './is-local-only.ts';
import type { ProvisionedResources } from './provision.ts';
import { makeSaleIdempotencyKey, PaymentRequestRefusedError, takePayment } from './sale.ts';
import { StartError } from './start-error.ts';

/** The parts of a console that a stack cannot provide, because they need scenarios. */
export type ConsoleExtras = Pick<
  ConsoleSuppliedParts,
  'findings' | 'record' | 'scenarios' | 'explorations' | 'stepOf'
>;

/** The parts of a started stack that the console uses. */
interface ConsoleStack extends Pick<ProvisionedResources, 'terminals' | 'tokens'> {
  readonly url: string;
  readonly runtime: Runtime;
  readonly wedge: ConsoleWedgeReaders | undefined;
}

/**
 * Returns the parts of the console that a configuration describes; undefined if there is no console. If other machines
 * can reach the gateway, there is a console only if the configuration asks for a console and browsers reach it by
 * https. The reason is that the console's cookie allows everything that the control token allows.
 *
 * @throws StartError if the configuration asks for a console without https
 */
export function consolePartsOf(
  config: Config,
  stack: () => ConsoleStack | undefined,
  extras: ConsoleExtras = {},
): ConsoleSuppliedParts | undefined {
  const { host, publicUrl, console = isLocalOnly(config) } = config;
  if (!console) return undefined;
  if (!isLocalOnly(config) && !publicUrl?.startsWith('https:'))
    throw new StartError(
      `a console on ${host} needs https: set publicUrl to the https address at which browsers reach the console ` +
        '(or http://localhost:PORT, if the gateway is published on this machine alone)',
    );
  return {
    ...extras,
    file: readConsoleFile,
    publicUrl: config.console || isLocalOnly(config) ? publicUrl : undefined,
    wedge: () => stack()?.wedge,
    sell: (sale) => sell(stack(), sale),
  };
}

/** Makes a sale in the same way as a point of sale. Resolves when the person at the terminal has finished. */
async function sell(
  stack: ConsoleStack | undefined,
  { poiId, amount, tip }: { poiId: string; amount: number; tip: boolean },
) {
  const terminal = stack?.terminals.find((each) => each.poiId === poiId);
  const token = stack?.tokens.find(
    ({ account, environment }) => account === terminal?.account && environment === 'sandbox',
  );
  if (!stack || !terminal || !token)
    return refusedSale(`pinpad was started without an API token that is valid for ${poiId}`);
  const { random, realClock } = stack.runtime;
  const sold = takePayment(
    {
      url: stack.url,
      by: 'console',
      token: token.token,
      terminalId: terminal.identifier,
      idempotencyKey: makeSaleIdempotencyKey(random, 'console'),
      body: {
        paymentTransaction: { amountsReq: { requestedAmount: amount } },
        ...(tip ? { gratuity: { enabled: true } } : {}),
      },
    },
    realClock,
  );
  return sold.then(
    (result) => ({ success: result.response.result === 'success', line: describePaymentResult(result) }),
    (error: unknown) => {
      if (error instanceof PaymentRequestRefusedError) return refusedSale(error.message);
      throw error;
    },
  );
}

function refusedSale(line: string) {
  return { success: false, refused: true as const, line };
}
