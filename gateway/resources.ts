import { consoleEndpoints } from './console/routes.ts';
import { payoutPageEndpoints } from './credits/page/pay-endpoints.ts';
import { creditEndpoints } from './credits/routes.ts';
import { docsPageEndpoints } from './docs-page/routes.ts';
import { healthEndpoints } from './health/routes.ts';
import type { AnyEndpoint } from './http/endpoint.ts';
import { paymentEndpoints } from './payments/native-api/routes.ts';
import { refundEndpoints } from './refunds/routes.ts';
import { secretBeliefEndpoints } from './sales/routes.ts';
import { debitEndpoints } from './saved-cards/routes.ts';
import type { Services } from './services.ts';
import { terminalEndpoints } from './terminals/routes.ts';

/**
 * The resources that the gateway serves in addition to the control API. The control API is loaded at its first call
 * (control/endpoints.ts), because it has two thirds of the endpoints, and a POS never calls it.
 */
export const nonControlEndpointMakers: readonly ((services: Services) => readonly AnyEndpoint[])[] = [
  terminalEndpoints,
  paymentEndpoints,
  secretBeliefEndpoints,
  debitEndpoints,
  refundEndpoints,
  creditEndpoints,
  payoutPageEndpoints,
  healthEndpoints,
  docsPageEndpoints,
  consoleEndpoints,
];
