import { findSelectedTerminalAndScreen, type TuiState } from './state.ts';

/**
 * Returns the settings that another program needs for sending a request. Each setting has a name and a value, and
 * each group has a title.
 */
export function posSetupRows(
  state: TuiState,
): (string | { readonly name: string; readonly value: string })[] {
  const terminal = findSelectedTerminalAndScreen(state)?.terminal;
  const { gatewayUrl, apiToken, controlToken, beliefsUrl, adyen } = state.facts;
  const row = (name: string, value: string) => ({ name, value });
  return [
    'A payment from your own POS',
    row('gateway', gatewayUrl),
    row('POST', '/terminals/{terminal}/payment-request'),
    row('terminal', terminal?.identifier ?? ''),
    row('TOKEN', apiToken),
    row('Authorization', 'Bearer, and the TOKEN'),
    row('body', '{"paymentTransaction":{"amountsReq":{"requestedAmount":12.3}}}'),
    ...(adyen ? [row("in Adyen's API", '/sync, with x-api-key: TOKEN (docs/adyen.md)')] : []),
    '',
    'A test that acts as the cardholder, and makes things fail',
    row('GET', '/control/terminals'),
    row('poi_id', terminal?.poiId ?? ''),
    row('CONTROL_TOKEN', controlToken),
    row('Authorization', 'Bearer, and the CONTROL_TOKEN'),
    // The gateway's address is left out of this row, because the page shows it further up. With the address, the row
    // would not fit into 80 columns.
    ...(beliefsUrl === undefined ? [] : [row('beliefs', new URL(beliefsUrl).pathname)]),
    '',
    'To read',
    row('GET', '/docs, in a browser: describes every request'),
    row('elsewhere', 'pinpad pay 12.50: makes a sale from the command line'),
    row('b', 'makes a link that signs a browser in to the console'),
  ];
}
