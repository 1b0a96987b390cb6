import type { paths } from '../../client/openapi-types.ts';

/** The calls of the POS, by their names in scenarios. */
const calls = {
  pay: 'POST /terminals/{terminalId}/payment-request',
  'ask status': 'GET /payment-requests/status',
  'ask latest': 'GET /terminals/{terminalId}/payment-request',
  abort: 'POST /payment-requests/abort',
  'abort latest': 'POST /terminals/{terminalId}/payment-request/abort',
  charge: 'POST /contact/{contact_id}/creditCards/{credit_card_id}/charge',
  preauthorize: 'POST /contact/{contact_id}/creditCards/{credit_card_id}/preauthorize',
  capture: 'POST /debit/{debit_id}/capture',
  refund: 'POST /debit/{debit_id}/refunds',
  'ask refunds': 'GET /debit/{debit_id}/refunds',
  'send link': 'PUT /credit',
} as const satisfies Record<string, `${string} ${keyof paths}`>;

/**
 * The messages of Adyen's Terminal API, by their names in scenarios. All of these messages are sent to the same path.
 */
const messages = {
  'adyen pay': 'payment',
  'adyen status': 'status',
  'adyen abort': 'abort',
} as const;
export type CallName = keyof typeof calls | keyof typeof messages | 'any';
export const callNames = [...Object.keys(calls), ...Object.keys(messages)] as CallName[];

/** Whether a text can select requests. Such a text is the name of a call, `any`, or a method and a path. */
export function isRequestSelector(what: string): boolean {
  return what === 'any' || Object.hasOwn(calls, what) || Object.hasOwn(messages, what) || line.test(what);
}

const line = /^(GET|POST|PUT) (\/\S*)$/;

/**
 * Returns the requests that a text selects, in the form that POST /control/faults accepts. Undefined if the text
 * selects no requests.
 */
export function parseRequestSelector(
  what: string,
): { method?: string; path?: string; asks?: (typeof messages)[keyof typeof messages] } | undefined {
  if (what === 'any') return {};
  if (Object.hasOwn(messages, what)) return { asks: messages[what as keyof typeof messages] };
  const [, method, path] =
    line.exec(Object.hasOwn(calls, what) ? calls[what as keyof typeof calls] : what) ?? [];
  return method === undefined || path === undefined ? undefined : { method, path };
}
