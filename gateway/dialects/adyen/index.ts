import type { ServedDialect } from '../../http/dialect.ts';
import type { Services } from '../../services.ts';
import { adyenEndpoints } from './endpoints.ts';
import { errorForm } from './error-form.ts';
import { LaterResults } from './later-results.ts';
import { AdyenPayments } from './payments.ts';

/** Adyen's Terminal API over the services that every API here shares. */
export async function serveAdyen(services: Services): Promise<ServedDialect> {
  const payments = new AdyenPayments(services);
  const later = await LaterResults.open({ ...services, adyenPayments: payments });
  return {
    resources: [adyenEndpoints({ ...services, adyenPayments: payments, later })],
    tokenHeader: 'x-api-key',
    errorForm: errorForm(() => services.runtime.clock.now()),
  };
}
