import type { GivenBack } from './adyen.ts';
import type { HttpRequest } from './http-exchange.ts';
import type { Order } from './order.ts';
import type { TestEnvironment } from './scenario-context.ts';
import type { SentRequest } from './sent-request.ts';

/** The way to send a request, besides its content. */
export interface Sending {
  /** The request's name in the scenario. */
  as?: string;
  /** The Idempotency-Key. */
  key?: string;
  /** The Prefer header; `async` stands for respond-async. */
  prefer?: string;
  /** Further headers; a header that is set to null is left out. */
  headers?: Record<string, string | null>;
  /** `production`, `none`, or a token; the sandbox token when absent. */
  token?: string;
  /** The API in which it is sent; the payments API when absent. */
  api?: 'adyen';
}

/** An order to a terminal, and the way to send it. */
export interface PayOrder extends Order, Sending {
  terminal?: string;
}

/** An amount to give back, and the way to send it. */
export interface GiveBackOrder extends GivenBack, Sending {
  /** The payment to reverse, without a card; if absent, the amount goes to a card that is presented. */
  of?: SentRequest;
  /** The terminal; if absent, that of the payment, or the first one. */
  terminal?: string;
}

/** The way in which a payment is named to the status or abort endpoint: by the request, by its key, or by its identifier. */
export type PaymentReference =
  | { of: SentRequest; by?: 'key' | 'identifier' }
  | { key: string }
  | { identifier: string };

/** The headers of a request, with the token that it is sent with. */
export function headersOf(
  { headers, body }: HttpRequest,
  { key, prefer, headers: more = {}, token, api }: Sending,
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

/** Replaces contacts and bank accounts in a body by the gateway's identifiers. */
export function withIds(body: unknown, { idOf }: Pick<TestEnvironment, 'idOf'>): unknown {
  if (typeof body !== 'object' || body === null) return body;
  const naming = ['contact_id', 'to_bank_account_id', 'from_bank_account'];
  return Object.fromEntries(
    Object.entries(body).map(([field, value]) => [
      field,
      naming.includes(field) && typeof value === 'string' ? idOf(value) : value,
    ]),
  );
}
