import type { ServedDialect } from '../../http/dialect.ts';
import type { Services } from '../../services.ts';
import { adyenEndpoints } from './endpoints.ts';
import { errorForm } from './error-form.ts';

/** Adyen's Terminal API over the services that every API here shares. */
export function serveAdyen(services: Services): ServedDialect {
  return {
    resources: [adyenEndpoints(services)],
    tokenHeader: 'x-api-key',
    errorForm: errorForm(() => services.runtime.clock.now()),
  };
}
