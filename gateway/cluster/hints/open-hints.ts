import type { Runtime } from '../../../shared/runtime.ts';
import { StartError } from '../../../shared/start-error.ts';
import type { HintBus } from './hints.ts';
import { isNatsAddress } from './nats-address.ts';
import { MessageSealer } from './seal.ts';

/**
 * Opens hints over the NATS server at this address. It also loads the NATS client. If the server cannot be reached, the
 * log says so, and the gateway tries again until it succeeds. `secret` must be known only to the gateways of one
 * database.
 *
 * @throws StartError if `address` is not the address of a NATS server
 */
export async function openNatsHintBus(address: string, secret: string, runtime: Runtime): Promise<HintBus> {
  if (!isNatsAddress(address))
    throw new StartError('the setting "nats" must be an address such as nats://user:password@host:4222');
  const { NatsHintBus } = await import('./nats-hints.ts');
  return NatsHintBus.open(address, new MessageSealer(secret, runtime.random), runtime);
}
