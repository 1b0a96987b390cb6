import { consoleEndpoints } from './console/routes.ts';
import { controlResources } from './control/endpoints.ts';
import { payPageEndpoints } from './credits/page/pay-endpoints.ts';
import { creditEndpoints } from './credits/routes.ts';
import { docsPageEndpoints } from './docs-page/routes.ts';
import type { AnyEndpoint } from './http/endpoint.ts';
import { paymentEndpoints } from './payments/routes.ts';
import { refundEndpoints } from './refunds/routes.ts';
import { debitEndpoints } from './saved-cards/routes.ts';
import type { Services } from './services.ts';
import { terminalEndpoints } from './terminals/routes.ts';

/** What the gateway serves, resource by resource, in the order of the OpenAPI document. */
export const resources: readonly ((services: Services) => readonly AnyEndpoint[])[] = [
  terminalEndpoints,
  paymentEndpoints,
  debitEndpoints,
  refundEndpoints,
  creditEndpoints,
  payPageEndpoints,
  ...controlResources,
  docsPageEndpoints,
  consoleEndpoints,
];
