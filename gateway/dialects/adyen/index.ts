import type { ServedDialect } from '../../http/dialect.ts';
import type { Services } from '../../services.ts';
import { adyenEndpoints } from './endpoints.ts';
import { adyenErrorForm } from './error-form.ts';
import { LaterResults } from './later-results.ts';

/** Serves Adyen's Terminal API by means of the services that all APIs of the gateway use. */
export async function serveAdyen(services: Services): Promise<ServedDialect> {
  const later = await LaterResults.open(services);
  return {
    resources: [adyenEndpoints(services, later)],
    tokenHeader: 'x-api-key',
    errorForm: adyenErrorForm(() => services.runtime.clock.now()),
  };
}
