import type { Canvas } from '../canvas.ts';
import { selectedTerminal, type TuiState } from '../state.ts';
import { theme } from '../theme.ts';
import { drawHelpFrame } from './help.ts';

/** What a request from elsewhere needs; each value stands alone, so that a double click copies it. */
export function drawAccess(canvas: Canvas, state: TuiState): void {
  const inside = drawHelpFrame(canvas, 'Your own POS', { key: 'Tab', text: 'keys', overlay: 'help' });
  const terminal = selectedTerminal(state)?.terminal;
  const { gatewayUrl, apiToken, controlToken } = state.facts;
  let y = 0;
  const title = (text: string) => inside.text(2, y++, text, theme.overlayStrong);
  const row = (name: string, value: string) => {
    inside.text(2, y, name, theme.overlayFaint);
    inside.text(16, y++, value, theme.overlay);
  };
  title('A payment from your own POS');
  row('gateway', gatewayUrl);
  row('POST', '/terminals/{terminal}/payment-request');
  row('terminal', terminal?.identifier ?? '');
  row('TOKEN', apiToken);
  row('Authorization', 'Bearer, and the TOKEN');
  row('body', '{"paymentTransaction":{"amountsReq":{"requestedAmount":12.3}}}');
  y++;
  title('A test that acts as the cardholder, and makes things fail');
  row('GET', '/control/terminals');
  row('poi_id', terminal?.poiId ?? '');
  row('CONTROL_TOKEN', controlToken);
  row('Authorization', 'Bearer, and the CONTROL_TOKEN');
  y++;
  title('To read');
  row('GET', '/docs, in a browser: every request there is');
  row('elsewhere', 'pinpad pay 12.50: a sale from the command line');
  row('b', 'makes a link to the console, which signs a browser in');
}
