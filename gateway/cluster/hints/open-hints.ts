import type { Runtime } from '../../../shared/runtime.ts';
import { StartError } from '../../../shared/start-error.ts';
import type { Hints } from './hints.ts';
import { isNatsAddress } from './nats-address.ts';
import { SealKey } from './seal.ts';

/**
 * Gives hints over the NATS of this address; its client is loaded only then. If NATS cannot be reached, each attempt is
 * followed by another, and the log says so. `secret` is what only the gateways of one database know.
 *
 * @throws StartError if this is no address of a NATS
 */
export async function openHints(address: string, secret: string, runtime: Runtime): Promise<Hints> {
  if (!isNatsAddress(address))
    throw new StartError('nats must be an address such as nats://user:password@host:4222');
  const { NatsHints } = await import('./nats-hints.ts');
  return NatsHints.open(address, new SealKey(secret, runtime.random), runtime);
}
