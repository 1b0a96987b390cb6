import createFetchClient, { type Client } from 'openapi-fetch';
import { bearer, type ClientOptions } from './api-client.ts';
import type { paths } from './openapi-types.ts';

export { ApiError, type ClientOptions } from './api-client.ts';
export { type ControlClient, createControlClient } from './control-client.ts';
export type * from './openapi-types.ts';

/** A client whose paths, parameters, bodies and answers are typed. */
export type PinpadClient = Client<paths>;

/**
 * A typed client of the payments API and the control API. Redirects are not followed, because the answer 303 about a
 * long payment has the payment's identifier in its body. A call resolves with `response` and either `data` or `error`.
 * A call rejects if there is no answer.
 *
 * @throws Error if an HTTP header cannot contain the token
 *
 * @example
 * const pinpad = createClient({ url: 'http://127.0.0.1:8080', token: 'test_…' });
 * const { data } = await pinpad.GET('/terminals');
 * console.log(data?.[0]?.identifier);
 */
export function createClient({ url, token, fetch }: ClientOptions): PinpadClient {
  return createFetchClient<paths>({
    baseUrl: url,
    headers: { authorization: bearer(token) },
    redirect: 'manual',
    ...(fetch && { fetch }),
  });
}
