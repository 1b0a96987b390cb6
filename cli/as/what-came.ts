import type { Led, Vendor } from '../../leading/index.ts';

/** Gives the text at the end, which says if the command sent requests here and what became of them. */
export function whatCame(counts: Led['counts'], vendor: Vendor, url: string): string {
  const { requests, unauthorized, unknown, unanswered, distrusted } = counts;
  const said: string[] = [];
  if (requests > 0) said.push(`${many(requests, 'request')} for ${vendor.name} came to ${url}`);
  else if (distrusted === 0)
    said.push(
      `no request for ${vendor.name} came here: if the command made one, it reached ${vendor.name} (docs/as.md says what is led)`,
    );
  if (unauthorized > 0)
    said.push(
      `${unauthorized} of them had a wrong API key (401): give your point of sale a token of the gateway as its key`,
    );
  if (unknown > 0)
    said.push(
      `${unknown} of them were for what the gateway does not have (404): start it with "pinpad up --as adyen" to have it answer ${vendor.name}'s API`,
    );
  if (unanswered > 0) said.push(`${unanswered} of them had no answer: the gateway broke off, or was gone`);
  if (distrusted > 0)
    said.push(
      `${many(distrusted, 'connection')} for ${vendor.name} ended before a request: most often the program does not believe the certificate (docs/as.md)`,
    );
  return said.map((line) => `pinpad: ${line}`).join('\n');
}

function many(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
