import type { paths } from '../../../client/openapi-types.ts';

/** The requests of a point of sale for which users usually set faults. */
export const faultableRequests = {
  payment: { text: 'a payment request', method: 'POST', path: '/terminals/{terminalId}/payment-request' },
  status: { text: 'a status request', method: 'GET', path: '/payment-requests/status' },
  charge: {
    text: 'a charge of a saved card',
    method: 'POST',
    path: '/contact/{contact_id}/creditCards/{credit_card_id}/charge',
  },
  refund: { text: 'a refund', method: 'POST', path: '/debit/{debit_id}/refunds' },
  any: { text: 'any request', method: undefined, path: undefined },
} as const satisfies Record<string, { text: string; method?: string; path?: keyof paths }>;

export const faultableRequestTitles = Object.fromEntries(
  Object.entries(faultableRequests).map(([name, { text }]) => [name, text]),
) as Record<keyof typeof faultableRequests, string>;
