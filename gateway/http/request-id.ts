import type { IncomingMessage } from 'node:http';
import { holdsCardNumber } from '../../shared/masking/card-numbers.ts';
import type { Identifiers } from '../../shared/random.ts';

/** What a request is called: as its client says where that is text a log can hold (B117), which goes back as it came. */
export function requestIdOf({ headers }: IncomingMessage, identifiers: Identifiers): string {
  const given = headers['request-id'];
  const isSane = typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) && !holdsCardNumber(given);
  return isSane ? given : identifiers.next();
}
