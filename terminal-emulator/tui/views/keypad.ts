import type { Screen, TerminalKey } from '../../../shared/emulator/screen.ts';
import type { Canvas, Style } from '../canvas.ts';
import { theme } from '../theme.ts';

interface Cap {
  readonly key: TerminalKey;
  readonly text: string;
  readonly live: Style & { readonly bg: number };
}

const digit = (key: TerminalKey): Cap => ({ key, text: key, live: theme.keyLive });

/**
 * The rows of the keypad: three digits and a function key, as on a PIN pad. The text on a function key also names the
 * computer's key that presses this function key.
 */
const rows: readonly { readonly digits: readonly (Cap | undefined)[]; readonly side: Cap }[] = [
  {
    digits: [digit('1'), digit('2'), digit('3')],
    side: { key: 'cancel', text: 'X Cancel   Esc', live: theme.cancelLive },
  },
  {
    digits: [digit('4'), digit('5'), digit('6')],
    side: { key: 'clear', text: '< Clear   Bksp', live: theme.clearLive },
  },
  {
    digits: [digit('7'), digit('8'), digit('9')],
    side: { key: 'enter', text: 'O Enter  Enter', live: theme.enterLive },
  },
  {
    digits: [undefined, digit('0'), undefined],
    side: { key: 'power', text: '  Power      p', live: theme.keyLive },
  },
];

/**
 * Draws the keys. Keys that have an effect now are marked by their colour, and by brackets or a frame. The power key
 * always has an effect, but is marked only if it is the next key to press.
 */
export function drawKeypad(canvas: Canvas, { keys: live, state }: Screen, tall: boolean): void {
  const height = tall ? 3 : 1;
  const sideWidth = tall ? 18 : 16;
  const left = Math.floor((canvas.width - 17 - 1 - sideWidth) / 2);
  for (const [index, { digits, side }] of rows.entries()) {
    const y = index * height;
    for (const [column, cap] of digits.entries()) {
      if (!cap) continue;
      const at = canvas.within({ x: left + column * 6, y, width: 5, height });
      drawCap(at, cap, live.includes(cap.key) ? cap.live : undefined, tall);
    }
    const at = canvas.within({ x: left + 18, y, width: sideWidth, height });
    const power = state === 'off' ? side.live : theme.keyQuiet;
    drawCap(at, side, side.key === 'power' ? power : live.includes(side.key) ? side.live : undefined, tall);
  }
}

function drawCap(canvas: Canvas, cap: Cap, live: Cap['live'] | undefined, tall: boolean): void {
  const style = live ?? theme.keyDead;
  const face = tall ? canvas.within({ x: 1, y: 1, width: canvas.width - 2, height: 1 }) : canvas;
  face.fill(style);
  face.textCentred(0, cap.text, style);
  canvas.hot({ click: cap.key === 'power' ? { do: 'power' } : { do: 'press', key: cap.key } });
  if (!live || live === theme.keyQuiet) return;
  if (tall) canvas.frame({ fg: live.bg, bg: theme.body.bg, bold: true });
  else {
    canvas.text(0, 0, '[', style);
    canvas.text(canvas.width - 1, 0, ']', style);
  }
}
