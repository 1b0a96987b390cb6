import type { Leads } from './leads.ts';
import type { RunRecord } from './run-record.ts';

/** Says why there is nothing to explore, and what to do about it. */
export function sentNothing(
  { output, ended }: Pick<RunRecord, 'output' | 'ended'>,
  leads: Pick<Leads, 'came'> | undefined,
): string {
  const how = ended.timedOut ? 'did not end' : `ended with ${ended.code ?? ended.signal}`;
  return [
    ...(leads ? whyNothingCame(how, leads) : whereItFinds(how)),
    'its last lines were:',
    ...output.map((line) => `  ${line}`),
  ].join('\n');
}

function whereItFinds(how: string): string[] {
  return [
    `the command sent no request and ${how}: it finds the gateway's address in PINPAD_URL, its token in PINPAD_TOKEN and the terminal in PINPAD_TERMINAL`,
    "give it variables of its own by --env PAYMENTS_URL={url}; one that calls Adyen's hosts is led here by --as adyen",
  ];
}

/** Says why nothing came from a command that is led here. */
function whyNothingCame(how: string, leads: Pick<Leads, 'came'>): string[] {
  const key = 'give it a token of the run as its API key, by --env ADYEN_API_KEY={token}';
  if (leads.came('unauthorized') > 0) return [`the command sent a wrong API key and ${how}`, key];
  if (leads.came('unknown') > 0)
    return [
      `the gateway does not have what the command asked for (404): start it with "pinpad up --as adyen"; the command ${how}`,
    ];
  if (leads.came('distrusted') > 0)
    return [
      `the command ended its connections before a request, and ${how}: most often it does not believe the certificate (docs/as.md)`,
    ];
  return [
    `the command sent no request here and ${how}: if it made one, it reached the vendor (docs/as.md says what is led)`,
    `${key}, and the terminal by --env POIID={poiId}`,
  ];
}
