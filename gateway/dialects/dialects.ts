import { memoize } from '../../shared/memoize.ts';
import type { LazyDialect, LoadedDialect } from '../http/dialect.ts';
import type { Services } from '../services.ts';
import type { LocalListener, LocalListenerParts } from './adyen/local/local-listener.ts';
import type { DialectOptions } from './dialect-options.ts';

const adyenPaths = /^\/(sync|async|connectedTerminals|v1\/merchants\/.*)$/;

/**
 * Gives the APIs of other vendors that a gateway can serve. If such an API is off, the answer to its calls says how to
 * switch the API on.
 */
export function listDialects(services: Services, { adyen }: DialectOptions): LazyDialect[] {
  const openAdyen = memoize(async () => (await import('./adyen/index.ts')).openAdyenDialect(services));
  if (adyen && !services.store.isNew) void openForLeftResults(openAdyen, services.runtime);
  return [
    {
      has: (path) => adyenPaths.test(path),
      open: adyen ? openAdyen : undefined,
      whenOff:
        'This route does not exist. The Adyen Terminal API is off at this gateway: "pinpad up --as adyen" switches the API on',
    },
  ];
}

/**
 * Sends the results that a former process or another gateway has left unsent. They are sent even before the first call
 * of the API.
 */
async function openForLeftResults(
  open: () => Promise<LoadedDialect>,
  { inFlight, journal }: Services['runtime'],
): Promise<void> {
  const done = inFlight.begin();
  try {
    await open();
  } catch (error) {
    journal.add('warning', {
      message: `results of /async could not be loaded, so they are sent only after the next request to this API: ${error}`,
    });
  } finally {
    done();
  }
}

/**
 * Opens the port for the terminals, if it is configured. The port listens only after a call of `listen`.
 *
 * @throws StartError if the port's certificates cannot be stored
 */
export async function openAdyenLocalListener(
  { adyen }: DialectOptions,
  parts: LocalListenerParts,
  services: Services,
): Promise<LocalListener | undefined> {
  const local = typeof adyen === 'object' ? adyen.local : undefined;
  if (!local) return undefined;
  const { LocalListener } = await import('./adyen/local/local-listener.ts');
  return LocalListener.open({ ...local, ...parts }, services);
}
