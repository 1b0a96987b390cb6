import type { TerminalKey } from '../../../shared/emulator/screen.ts';
import { preventFocusMove } from './display.tsx';

interface Cap {
  readonly key: TerminalKey;
  readonly name: string;
  readonly sign: string;
}

const digit = (key: TerminalKey): Cap => ({ key, name: key, sign: key });

const caps: readonly Cap[] = [
  ...(['1', '2', '3', '4', '5', '6', '7', '8', '9'] as const).map(digit),
  { key: 'cancel', name: 'Cancel', sign: '✕' },
  digit('0'),
  { key: 'enter', name: 'Enter', sign: '○' },
];
const clear: Cap = { key: 'clear', name: 'Clear', sign: '‹' };

/** The keypad. Keys that have an effect now are highlighted. */
export function Keypad({
  live,
  onPress,
}: {
  live: readonly TerminalKey[];
  onPress: (key: TerminalKey) => void;
}) {
  const [cancel, enter] = [caps[9], caps[11]] as [Cap, Cap];
  const digits = [...caps.slice(0, 9), caps[10] as Cap];
  return (
    <fieldset class="keypad" aria-label="Keypad">
      {[...digits, cancel, clear, enter].map(({ key, name, sign }) => (
        <button
          key={key}
          type="button"
          class={`key k-${key} ${/\d/.test(key) ? 'digit' : key} ${live.includes(key) ? 'live' : ''}`}
          aria-label={name}
          onMouseDown={preventFocusMove}
          onClick={() => onPress(key)}
        >
          {sign}
        </button>
      ))}
    </fieldset>
  );
}
