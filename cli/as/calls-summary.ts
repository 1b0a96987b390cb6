import type { CommandRedirection, Vendor } from '../../leading/index.ts';

/**
 * Returns the text at the end of the output. This text says whether the command sent requests to the gateway, and
 * whether the gateway served them.
 */
export function formatCallsSummary(
  counts: CommandRedirection['counts'],
  vendor: Vendor,
  url: string,
): string {
  const { requests, unauthorized, unknown, unanswered, distrusted } = counts;
  const said: string[] = [];
  if (requests > 0) said.push(`${many(requests, 'request')} for ${vendor.name} came to ${url}`);
  else if (distrusted === 0)
    said.push(
      `no request for ${vendor.name} reached pinpad. If the command sent such a request, ${vendor.name} itself got the request (docs/as.md lists the programs that can be redirected)`,
    );
  if (unauthorized > 0)
    said.push(
      `${many(unauthorized, 'request')} had a wrong API key (401): give your point of sale a token of the gateway as its key`,
    );
  if (unknown > 0)
    said.push(
      `${many(unknown, 'request')} asked for a path that the gateway does not serve (404): start the gateway with "pinpad up --as adyen" so that it serves ${vendor.name}'s API`,
    );
  if (unanswered > 0)
    said.push(
      `${many(unanswered, 'request')} got no answer: the gateway ended the connection, or was not running`,
    );
  if (distrusted > 0)
    said.push(
      `${many(distrusted, 'connection')} for ${vendor.name} ended without a request: usually the program does not trust the certificate (docs/as.md)`,
    );
  return said.map((line) => `pinpad: ${line}`).join('\n');
}

function many(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
