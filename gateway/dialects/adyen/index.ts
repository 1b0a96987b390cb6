import type { LoadedDialect } from '../../http/dialect.ts';
import type { Services } from '../../services.ts';
import { adyenEndpoints } from './endpoints.ts';
import { makeAdyenErrorFormatter } from './error-form.ts';
import { LaterResultSender } from './later-results.ts';

/** Serves Adyen's Terminal API. It uses the services that all APIs of the gateway use. */
export async function openAdyenDialect(services: Services): Promise<LoadedDialect> {
  const later = await LaterResultSender.open(services);
  return {
    resources: [adyenEndpoints(services, later)],
    tokenHeader: 'x-api-key',
    errorForm: makeAdyenErrorFormatter(() => services.runtime.clock.now()),
  };
}
