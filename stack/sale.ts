import { retryAfterOf } from '../client/api-client.ts';
import type { IPPTransactionResult } from '../client/openapi-types.ts';
import type { Clock } from '../shared/clock.ts';
import { explainConnectionError } from '../shared/connection-error.ts';
import { makeAlphanumericText, type Random } from '../shared/random.ts';
import { ownKeyPrefixOf, ownUserAgentOf } from '../shared/sales/own-seller.ts';
import type { OwnSeller } from '../shared/sales/sale.ts';
import { askWithRetries } from './ask-until-answered.ts';

/** Thrown if the gateway refused the request. `code` is the field `error` of the answer (B114). */
export class PaymentRequestRefusedError extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Thrown if the gateway, or a balancer in front of the gateway, answered without the outcome of the payment. */
class NoOutcome extends Error {
  readonly retryAfter: number | undefined;
  constructor(message: string, headers: Headers) {
    super(message);
    this.retryAfter = retryAfterOf(headers);
  }
}

export interface TakePaymentOptions {
  url: string;
  token: string;
  terminalId: string;
  /** The body of a payment request (B11). */
  body: unknown;
  /** The part of pinpad that requests the payment. */
  by: OwnSeller;
  /**
   * The Idempotency-Key. Each payment needs a different key. By this key, the outcome can be found even if the answer
   * is lost.
   */
  idempotencyKey: string;
  signal?: AbortSignal;
  /** Called each time that an answer has no outcome. `line` says why there is no outcome, and what is done next. */
  onRecovery?(line: string): void;
}

/**
 * Takes a payment in the same way as a careful point of sale. Sends the request with an Idempotency-Key, and sends it
 * again with the same key if the connection breaks. Follows no redirect automatically. After a 303, asks the status
 * endpoint until the outcome is known (B41, B47).
 */
export function takePayment(sale: TakePaymentOptions, clock: Clock): Promise<IPPTransactionResult> {
  const { terminalId, body, idempotencyKey, signal, onRecovery } = sale;
  const ask = async () =>
    outcomeOf(sale, await send(sale, `/terminals/${terminalId}/payment-request`, { body, idempotencyKey }));
  return askWithRetries(ask, {
    clock,
    signal,
    isAnswer: (error) => error instanceof PaymentRequestRefusedError,
    // The answer was lost. Sending the request again is safe, because the key is the same.
    onRecovery: (error) =>
      onRecovery?.(
        `No outcome (${explainConnectionError(error)}): sending the request again with the same key`,
      ),
  });
}

/** Makes a key of 51 random bits that a person can read, compare and find again in a recording. */
export function makeSaleIdempotencyKey(random: Random, by: OwnSeller): string {
  return `${ownKeyPrefixOf(by)}${makeAlphanumericText(random, 10)}`;
}

/** Requests the abort of the payment with this key (B52). */
export async function abortPayment({ signal: _givenUp, ...sale }: TakePaymentOptions): Promise<void> {
  await send(sale, '/payment-requests/abort', { body: { idempotencyKey: sale.idempotencyKey } });
}

async function outcomeOf(sale: TakePaymentOptions, first: Response): Promise<IPPTransactionResult> {
  let response = first;
  if (response.status === 303)
    sale.onRecovery?.('Asking for the status, because there was no outcome yet (303)');
  while (response.status === 303 || response.status === 202) {
    const location = response.headers.get('location');
    const path =
      location ?? `/payment-requests/status?idempotencyKey=${encodeURIComponent(sale.idempotencyKey)}`;
    await response.arrayBuffer();
    response = await send(sale, path);
  }
  return (await response.json()) as IPPTransactionResult;
}

/**
 * Sends a request. Give an Idempotency-Key only for a payment request, because the gateway ignores it for other
 * requests (B61).
 */
async function send(
  sale: TakePaymentOptions,
  path: string,
  { body, idempotencyKey }: { body?: unknown; idempotencyKey?: string } = {},
): Promise<Response> {
  const response = await fetch(new URL(path, sale.url), {
    method: body === undefined ? 'GET' : 'POST',
    redirect: 'manual',
    headers: {
      authorization: `Bearer ${sale.token}`,
      'user-agent': ownUserAgentOf(sale.by),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    body: JSON.stringify(body),
    signal: sale.signal,
  });
  if (response.status < 400) return response;
  const envelope = (await response.json().catch(() => ({}))) as {
    error?: string;
    message?: string;
    details?: { path: string; message: string }[];
  };
  const details = envelope.details?.map(({ path, message }) => `${path}: ${message}`).join('; ');
  if (response.status >= 500 && response.status !== 501)
    throw new NoOutcome([response.status, envelope.message].filter(Boolean).join(' '), response.headers);
  throw new PaymentRequestRefusedError(
    response.status,
    envelope.error ?? String(response.status),
    details ?? envelope.message ?? response.statusText,
  );
}
