import { ApiError } from '../client/api-client.ts';
import { createControlClient } from '../client/control-client.ts';
import type { PaymentSummary } from '../client/openapi-types.ts';
import { type Clock, delay } from '../shared/clock.ts';
import { askUntilAnswered } from './ask-until-answered.ts';
import type { ControlledGateway } from './call-control.ts';
import { fromGateway } from './from-gateway.ts';
import { connectionFault } from './sale.ts';

/** Money to give back at a terminal of a gateway that runs. */
interface GiveBack extends ControlledGateway {
  /** By UUID or poi_id. */
  terminal: string;
  /** The payment to reverse; without it a card is presented. */
  payment?: string;
  /** Major units; all that is left of the payment where it is left out. */
  amount?: number;
  /** So that it is given back once, however often it is asked for. */
  idempotencyKey: string;
  /** Called with what was missing of an answer, in words. */
  onRecovery(line: string): void;
}

/** How long the question is put off whether one that takes longer has come to an end. */
const pollMs = 1_000;

/**
 * Gives money back, and waits until it is concluded, whatever becomes of connections meanwhile.
 *
 * @throws ApiError where it is refused
 */
export async function giveBack(asked: GiveBack, clock: Clock): Promise<PaymentSummary> {
  const { url, controlToken: token, terminal, payment, amount, idempotencyKey, onRecovery } = asked;
  const control = createControlClient({
    url,
    token,
    fetch: (request) => {
      if (request.method === 'POST') request.headers.set('idempotency-key', idempotencyKey);
      return fromGateway(request);
    },
  });
  const asking = {
    clock,
    isAnswer: (error: unknown) => error instanceof ApiError && (error.status < 500 || error.status === 501),
    onRecovery: (error: unknown) => onRecovery(`Asking again; no outcome: ${connectionFault(error)}`),
  };
  const request = { params: { path: { terminalId: terminal } }, body: { payment, amount, wait: true } };
  let found = await askUntilAnswered(
    () => control.POST('/control/terminals/{terminalId}/refund', request),
    asking,
  );
  const params = { path: { paymentId: found.identifier } };
  while (found.state !== 'concluded') {
    await delay(clock, pollMs);
    found = await askUntilAnswered(() => control.GET('/control/payments/{paymentId}', { params }), asking);
  }
  return found;
}
