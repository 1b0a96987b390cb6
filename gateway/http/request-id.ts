import type { IncomingMessage } from 'node:http';
import { holdsCardNumber } from '../../shared/masking/card-numbers.ts';
import type { Identifiers } from '../../shared/random.ts';

/**
 * Gives the name of a request. It is the client's, if that text can be logged (B117). The answer repeats it unchanged.
 */
export function requestIdOf({ headers }: IncomingMessage, identifiers: Identifiers): string {
  const given = headers['request-id'];
  const isSane = typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) && !holdsCardNumber(given);
  return isSane ? given : identifiers.next();
}
