import type { Runtime } from '../../../shared/runtime.ts';
import { StartError } from '../../../shared/start-error.ts';
import type { Hints } from './hints.ts';
import { isNatsAddress } from './nats-address.ts';
import { SealKey } from './seal.ts';

/**
 * Opens hints over the NATS at this address; its client is loaded only then. If NATS cannot be reached, the log says
 * so, and the gateway tries again and again. `secret` is known only to the gateways of one database.
 *
 * @throws StartError if this is no address of a NATS
 */
export async function openHints(address: string, secret: string, runtime: Runtime): Promise<Hints> {
  if (!isNatsAddress(address))
    throw new StartError('nats must be an address such as nats://user:password@host:4222');
  const { NatsHints } = await import('./nats-hints.ts');
  return NatsHints.open(address, new SealKey(secret, runtime.random), runtime);
}
