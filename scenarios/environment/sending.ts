import type { RequestedGiveBack } from './adyen.ts';
import type { HttpRequest } from './http-exchange.ts';
import type { RequestedPayment } from './order.ts';
import type { TestEnvironment } from './scenario-context.ts';
import type { SentRequest } from './sent-request.ts';

/** How to send a request: everything except its content. */
export interface SendOptions {
  /** The request's name in the scenario. */
  as?: string;
  /** The Idempotency-Key. */
  key?: string;
  /** The Prefer header; `async` stands for respond-async. */
  prefer?: string;
  /** Further headers. A header whose value is null is not sent. */
  headers?: Record<string, string | null>;
  /** `production`, `none`, or a token. If absent, the sandbox token is used. */
  token?: string;
  /** The API of the request. If absent, this is the payments API. */
  api?: 'adyen';
}

/** A payment that a terminal should collect, and how to send the request for it. */
export interface PayOrder extends RequestedPayment, SendOptions {
  terminal?: string;
}

/** An amount to give back, and how to send the request. */
export interface GiveBackOrder extends RequestedGiveBack, SendOptions {
  /**
   * The payment to reverse; a reversal needs no card. If absent, the amount goes to a card that is presented at the
   * terminal.
   */
  of?: SentRequest;
  /** The terminal. If absent, this is the terminal of the payment or, without a payment, the first terminal. */
  terminal?: string;
}

/**
 * How a status or abort request names its payment: by the request that began the payment, by the key of that request,
 * or by the payment's identifier.
 */
export type PaymentReference =
  | { of: SentRequest; by?: 'key' | 'identifier' }
  | { key: string }
  | { identifier: string };

/** Returns the headers of a request, including its token. */
export function makeRequestHeaders(
  { headers, body }: HttpRequest,
  { key, prefer, headers: more = {}, token, api }: SendOptions,
  tokens: TestEnvironment['tokens'],
): Record<string, string> {
  const bearer = tokenOf(token, tokens);
  const shown: Record<string, string> =
    api === 'adyen' ? { 'x-api-key': bearer ?? '' } : { authorization: `Bearer ${bearer}` };
  const made: Record<string, string> = {
    ...(bearer === undefined ? {} : shown),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...(prefer === undefined ? {} : { prefer: prefer === 'async' ? 'respond-async' : prefer }),
  };
  for (const [name, value] of Object.entries(more)) {
    if (value === null) delete made[name.toLowerCase()];
    else made[name.toLowerCase()] = value;
  }
  return made;
}

function tokenOf(token: string | undefined, tokens: TestEnvironment['tokens']): string | undefined {
  if (token === 'none') return undefined;
  if (token === undefined || token === 'sandbox') return tokens.sandbox;
  return token === 'production' ? tokens.production : token;
}

/** In a body, replaces the names of contacts and bank accounts with the gateway's identifiers. */
export function replaceNamesByIds(body: unknown, { idOf }: Pick<TestEnvironment, 'idOf'>): unknown {
  if (typeof body !== 'object' || body === null) return body;
  const naming = ['contact_id', 'to_bank_account_id', 'from_bank_account'];
  return Object.fromEntries(
    Object.entries(body).map(([field, value]) => [
      field,
      naming.includes(field) && typeof value === 'string' ? idOf(value) : value,
    ]),
  );
}
