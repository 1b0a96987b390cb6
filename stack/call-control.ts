import { type ControlClient, createControlClient } from '../client/control-client.ts';
import { explainConnectionError } from '../shared/connection-error.ts';
import { makePrintable } from '../shared/printable.ts';
import { fetchFromGateway, makeNotAGatewayError } from './fetch-from-gateway.ts';
import { StartError } from './start-error.ts';

/** A running gateway with its control API. */
export interface ControlledGateway {
  /** The gateway's address, e.g. http://127.0.0.1:8080 */
  readonly url: string;
  /** The token for calls under /control. */
  readonly controlToken: string;
}

/** Makes a client of a gateway's control API. */
export function controlClientOf({ url, controlToken }: ControlledGateway): ControlClient {
  return createControlClient({ url, token: controlToken, fetch: fetchFromGateway });
}

/**
 * Runs `work`, which calls a running gateway. Turns the errors of these calls into errors for the user. @throws
 * StartError if the gateway does not answer, or refuses a call
 */
export async function withGatewayErrorsExplained<T>(
  { url }: { url: string },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StartError || !(error instanceof Error)) throw error;
    if (error instanceof SyntaxError) throw makeNotAGatewayError(url); // the content type was JSON, but the body was not
    const cause = error.cause instanceof Error ? `: ${explainConnectionError(error.cause)}` : '';
    // line ends are escaped, so that the gateway's message stays on one line
    throw new StartError(makePrintable(`${url}: ${error.message}${cause}`));
  }
}

/** Reads the time on a gateway's clock, in epoch milliseconds. */
export async function readGatewayTimeMs(gateway: ControlledGateway): Promise<number> {
  return Date.parse((await controlClientOf(gateway).GET('/control/clock')).now);
}

/** The reaction of a webhook's receiver to a message with a wrong signature. */
interface ProbedWebhook {
  readonly id: string;
  /** Whether the receiver refused the message; null if it did not answer. */
  readonly verified: boolean | null;
  readonly error: string | null;
}

/**
 * Sends a message with a wrong signature to each enabled webhook of a gateway. Leaves out webhooks whose messages are
 * never signed.
 */
export async function probeWebhookSignatures(gateway: ControlledGateway): Promise<ProbedWebhook[]> {
  const control = controlClientOf(gateway);
  const probed: ProbedWebhook[] = [];
  for (const { id, enabled, types } of await control.GET('/control/webhooks')) {
    if (!enabled || types?.every((type) => type === 'adyen.results')) continue;
    const params = { path: { webhookId: id } };
    probed.push({ ...(await control.POST('/control/webhooks/{webhookId}/probe', { params })), id });
  }
  return probed;
}
