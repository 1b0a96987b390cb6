import type { RunRecord } from './run-record.ts';
import type { VendorCallRedirector } from './vendor-call-redirector.ts';

/** Returns text that says why there is nothing to explore, and what the user should do. */
export function sentNothingText(
  { output, ended }: Pick<RunRecord, 'output' | 'ended'>,
  leads: Pick<VendorCallRedirector, 'came'> | undefined,
): string {
  const how = ended.timedOut ? 'did not end' : `ended with ${ended.code ?? ended.signal}`;
  return [
    ...(leads ? whyNothingCame(how, leads) : whereItFinds(how)),
    "the last lines of the command's output were:",
    ...output.map((line) => `  ${line}`),
  ].join('\n');
}

function whereItFinds(how: string): string[] {
  return [
    `the command sent no request and ${how}; its environment variables PINPAD_URL, PINPAD_TOKEN and PINPAD_TERMINAL contain the gateway's address, the API token and the terminal`,
    "set variables of the command with --env PAYMENTS_URL={url}; if the command calls Adyen's hosts, redirect its calls with --as adyen",
  ];
}

/** Returns the reason why no request came from a command whose calls are redirected to the gateway. */
function whyNothingCame(how: string, leads: Pick<VendorCallRedirector, 'came'>): string[] {
  const key = 'give the command the token of the run as its API key, with --env ADYEN_API_KEY={token}';
  if (leads.came('unauthorized') > 0) return [`the command sent a wrong API key and ${how}`, key];
  if (leads.came('unknown') > 0)
    return [
      `the gateway does not serve the path that the command asked for (404): start the gateway with "pinpad up --as adyen"; the command ${how}`,
    ];
  if (leads.came('distrusted') > 0)
    return [
      `the command ended its connections without a request, and ${how}: usually it does not trust the certificate (docs/as.md)`,
    ];
  return [
    `no request of the command reached pinpad, and the command ${how}. If the command sent a request, the vendor itself got the request (docs/as.md lists the programs that can be redirected)`,
    `${key}, and pass the terminal's POIID with --env POIID={poiId}`,
  ];
}
