import { memoize } from '../../shared/memoize.ts';
import type { Dialect } from '../http/dialect.ts';
import type { Services } from '../services.ts';

/** How another vendor's API is served. */
export interface DialectOptions {
  /** Adyen's Terminal API (docs/adyen.md); off when absent. */
  adyen?: boolean;
}

const adyenPaths = /^\/(sync|async|connectedTerminals|v1\/merchants\/.*)$/;

/** The APIs that a gateway can speak beside its own: who calls one that is off is told how to switch it on. */
export function dialects(services: Services, { adyen }: DialectOptions): Dialect[] {
  return [
    {
      has: (path) => adyenPaths.test(path),
      open: adyen ? memoize(async () => (await import('./adyen/index.ts')).serveAdyen(services)) : undefined,
      whenOff: 'This route does not exist. The Adyen Terminal API is off here: pinpad up --as adyen',
    },
  ];
}
