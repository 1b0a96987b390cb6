import type { IncomingMessage } from 'node:http';
import { holdsCardNumber } from '../../shared/masking/card-numbers.ts';
import type { IdentifierGenerator } from '../../shared/random.ts';

/**
 * Gives the identifier of a request. If the client has sent an identifier that can be logged, gives this identifier
 * (B117). The answer repeats the identifier unchanged.
 */
export function takeOrMakeRequestId({ headers }: IncomingMessage, identifiers: IdentifierGenerator): string {
  const given = headers['request-id'];
  const isSane = typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) && !holdsCardNumber(given);
  return isSane ? given : identifiers.next();
}
