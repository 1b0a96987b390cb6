import { z } from 'zod';
import { languages } from '../../../shared/emulator/screen.ts';
import { type AnyEndpoint, defineEndpoint } from '../../http/endpoint.ts';
import { assetEndpoint } from './assets.ts';
import { PayoutPage, type PayoutPageParts } from './pay-page.ts';

const linkParams = z.object({ token: z.string().max(200).meta({ description: 'The secret of the link' }) });
const browserHeaders = z.object({
  'accept-language': z
    .string()
    .max(1000)
    .optional()
    .meta({ description: languages.join(', ') }),
  cookie: z.string().max(8000).optional(),
});
const text = (longest: number) => z.string().max(longest).optional();
const stepForm = z
  .object({
    step: z.enum(['answer', 'bank', 'accept', 'change']),
    csrf: z.string().max(100),
    answer: text(200),
    kind: text(10),
    iban: text(60),
    routing: text(30),
    transit: text(30),
    institution: text(30),
    account: text(60),
  })
  .meta({ id: 'PaymentLinkForm' });

const htmlPage = (description: string) => ({
  description,
  contentType: 'text/html',
  schema: z.string(),
  examples: { page: '<!doctype html>…' },
});
const gonePage = htmlPage('The link was used, has expired or never existed; the page does not say which');

/**
 * Makes the endpoints of the page at a payment link (B97–B101). The page has plain forms, so it works without
 * JavaScript.
 */
export function payoutPageEndpoints(parts: PayoutPageParts): AnyEndpoint[] {
  const page = new PayoutPage(parts);
  const common = {
    tag: 'Payment links',
    guard: 'open',
    journaled: 'nothing', // the path contains the link's secret
    params: linkParams,
    headers: browserHeaders,
  } as const;
  return [
    assetEndpoint,
    defineEndpoint({
      ...common,
      route: 'GET /pay/{token}',
      operationId: 'openPaymentLink',
      summary: "The customer's page",
      responses: {
        200: htmlPage("The customer's present step"),
        410: gonePage,
        429: htmlPage('The link is locked after three wrong answers'),
      },
      handle: ({ params, headers }) => page.open(params.token, headers),
    }),
    defineEndpoint({
      ...common,
      route: 'POST /pay/{token}',
      operationId: 'submitPaymentLinkForm',
      summary: "A form of the customer's page",
      bodyType: 'form',
      body: stepForm,
      bodyExamples: { answer: { step: 'answer', csrf: '…', answer: 'blue' } },
      responses: {
        200: htmlPage('The link has ended: the money is on its way, or the bank refused the payment'),
        303: { description: 'Redirects to the next step', headers: { Location: 'The page' } },
        403: htmlPage('The form did not come from the page, or the page is too old'),
        410: gonePage,
        422: htmlPage('The answer or the bank details are wrong'),
        429: htmlPage('The link is locked after three wrong answers'),
      },
      handle: ({ params, headers, body }) => page.submit(params.token, headers, body),
    }),
  ];
}
