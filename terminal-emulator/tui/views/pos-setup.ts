import type { Canvas } from '../canvas.ts';
import { posSetupRows } from '../pos-setup-text.ts';
import type { TuiState } from '../state.ts';
import { theme } from '../theme.ts';
import { drawHelpFrame } from './help.ts';

/**
 * Draws the settings that another program needs to send a request. A value has only spaces beside it, so that a
 * double click selects exactly this value.
 */
export function drawPosSetup(canvas: Canvas, state: TuiState): void {
  const inside = drawHelpFrame(canvas, 'Your own POS', { key: 'Tab', text: 'keys', overlay: 'help' });
  for (const [y, row] of posSetupRows(state).entries()) {
    if (typeof row === 'string') inside.text(2, y, row, theme.overlayStrong);
    else {
      inside.text(2, y, row.name, theme.overlayFaint);
      inside.text(16, y, row.value, theme.overlay);
    }
  }
}
