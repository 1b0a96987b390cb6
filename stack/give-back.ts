import { ApiError } from '../client/api-client.ts';
import { createControlClient } from '../client/control-client.ts';
import type { PaymentSummary } from '../client/openapi-types.ts';
import { type Clock, delay } from '../shared/clock.ts';
import { explainConnectionError } from '../shared/connection-error.ts';
import { askWithRetries } from './ask-until-answered.ts';
import type { ControlledGateway } from './call-control.ts';
import { fetchFromGateway } from './fetch-from-gateway.ts';
import { StartError } from './start-error.ts';

/** Money to give back at a terminal of a running gateway. */
interface GiveBack extends ControlledGateway {
  /** The terminal's identifier (a UUID) or poi_id. */
  terminal: string;
  /** The payment to reverse. If absent, the money goes to a card that the customer presents. */
  payment?: string;
  /** The amount in major units. If absent, the rest of the payment is given back. */
  amount?: number;
  /**
   * The Idempotency-Key. Even if the request is sent several times with this key, the money is given back only once.
   */
  idempotencyKey: string;
  /** Called before the request is sent again, with a text that says why there was no outcome. */
  onRecovery(line: string): void;
}

/** Thrown if no answer shows the outcome of a request that the gateway may have accepted. */
class RefundOutcomeUnknownError extends Error {}

/** The time between two requests that ask whether a refund is concluded, in milliseconds. */
const pollMs = 1_000;

/**
 * Gives money back, and waits until the reversal or refund is concluded, even if connections break meanwhile.
 *
 * @throws ApiError if the gateway refuses the request, and no earlier answer to it was lost
 * @throws StartError if a program other than a gateway answers
 * @throws RefundOutcomeUnknownError
 */
export async function giveBack(asked: GiveBack, clock: Clock): Promise<PaymentSummary> {
  const { url, controlToken: token, terminal, payment, amount, idempotencyKey, onRecovery } = asked;
  const control = createControlClient({
    url,
    token,
    fetch: (request) => {
      if (request.method === 'POST') request.headers.set('idempotency-key', idempotencyKey);
      return fetchFromGateway(request);
    },
  });
  // After a lost answer, a refusal does not say what became of the first request.
  let mayBeAccepted = false;
  const asking = {
    clock,
    isAnswer: (error: unknown) => error instanceof ApiError && (error.status < 500 || error.status === 501),
    onRecovery: (error: unknown) => {
      mayBeAccepted ||= !(error instanceof StartError);
      onRecovery(`Asking again, because there is no outcome yet: ${explainConnectionError(error)}`);
    },
  };
  const request = { params: { path: { terminalId: terminal } }, body: { payment, amount, wait: true } };
  try {
    let found = await askWithRetries(
      () => control.POST('/control/terminals/{terminalId}/refund', request),
      asking,
    );
    mayBeAccepted = true;
    const params = { path: { paymentId: found.identifier } };
    while (found.state !== 'concluded') {
      await delay(clock, pollMs);
      found = await askWithRetries(() => control.GET('/control/payments/{paymentId}', { params }), asking);
    }
    return found;
  } catch (error) {
    if (!mayBeAccepted) throw error;
    throw new RefundOutcomeUnknownError(explainConnectionError(error));
  }
}
