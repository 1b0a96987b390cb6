import type { Screen } from '../../shared/emulator/screen.ts';
import type { Style } from './canvas.ts';

/**
 * The colours, from the 256-colour palette. The device, the receipt and the overlays have their own background.
 * Everything else is drawn on the background of the user's window, in colours that can be read on dark and light
 * backgrounds.
 */
export const theme = {
  plain: {},
  strong: { bold: true },
  faint: { fg: 245 },
  /** The style of the sentence that says what to do next. */
  next: { bold: true },
  panel: { fg: 244 },
  panelFocused: { fg: 33, bold: true },
  accent: { fg: 33, bold: true },
  jsonKey: { fg: 33 },
  jsonText: { fg: 34 },
  jsonValue: { fg: 172 },
  success: { fg: 34, bold: true },
  error: { fg: 167, bold: true },
  warning: { fg: 172 },
  tab: { fg: 245 },
  tabSelected: { inverse: true, bold: true },
  /** The style of the most likely next action. */
  primary: { fg: 231, bg: 25, bold: true },
  mode: { fg: 172, bold: true },
  key: { bold: true },
  selected: { inverse: true },
  selectedElsewhere: { bold: true, underline: true },
  body: { fg: 250, bg: 236 },
  bodyStrong: { fg: 255, bg: 236, bold: true },
  bodyFaint: { fg: 243, bg: 236 },
  lampPower: { fg: 46, bg: 236, bold: true },
  lampContactless: { fg: 51, bg: 236, bold: true },
  lampNetworkLost: { fg: 203, bg: 236, bold: true },
  keyLive: { fg: 16, bg: 253, bold: true },
  keyQuiet: { fg: 252, bg: 239 },
  keyDead: { fg: 242, bg: 236 },
  cancelLive: { fg: 231, bg: 160, bold: true },
  clearLive: { fg: 16, bg: 220, bold: true },
  enterLive: { fg: 231, bg: 28, bold: true },
  card: { fg: 231, bg: 61, bold: true },
  paper: { fg: 235, bg: 255 },
  paperStrong: { fg: 232, bg: 255, bold: true },
  overlay: { fg: 252, bg: 235 },
  overlayStrong: { fg: 231, bg: 235, bold: true },
  overlayFaint: { fg: 246, bg: 235 },
  field: { fg: 231, bg: 24, bold: true },
  fieldIdle: { fg: 252, bg: 238 },
} as const satisfies Record<string, Style>;

/** The styles of the lines in a list. The kind of event in a line decides the style. */
export const toneStyles = {
  neutral: theme.plain,
  success: theme.success,
  error: theme.error,
  warning: theme.warning,
} as const;

/**
 * Returns the colours of the terminal's display. The colours depend on the terminal's state, as if the display had a
 * coloured backlight.
 */
export function displayStyleOf(screen: Screen): Style {
  if (screen.state === 'off') return { fg: 240, bg: 233 };
  switch (screen.tone) {
    case 'prompt':
      return { fg: 231, bg: 24 };
    case 'success':
      return { fg: 231, bg: 22 };
    case 'error':
      return { fg: 231, bg: 88 };
    case 'neutral':
      return { fg: 253, bg: 238 };
  }
}
