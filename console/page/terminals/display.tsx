import type { Screen, TerminalKey } from '../../../shared/emulator/screen.ts';

/** The terminal's own display: title, amount, lines, choices and the typed digits. */
export function Display({ screen, onPress }: { screen: Screen; onPress: (key: TerminalKey) => void }) {
  const { state, tone, title, amount, lines, choices, input, language } = screen;
  const columns = Math.max(1, ...choices.map(({ column }) => column + 1));
  return (
    <div class={`display ${tone} ${state}`} lang={language} role="status" aria-label="Display">
      {state !== 'off' && (
        <>
          <p class="title">
            <span class="mark" aria-hidden="true" />
            {title}
          </p>
          {amount !== undefined && <p class="amount">{amount}</p>}
          {lines.map((line, index) => (
            <p key={index} class="text">
              {line}
            </p>
          ))}
          {choices.length > 0 && (
            <div class="choices" style={{ gridTemplateColumns: `repeat(${columns}, 1fr)` }}>
              {choices.map(({ key, label, row, column }) => (
                <button
                  key={key}
                  type="button"
                  class={choices.filter((other) => other.row === row).length === 1 ? 'alone' : ''}
                  style={{ gridRow: row + 1, gridColumnStart: column + 1 }}
                  onMouseDown={preventFocusMove}
                  onClick={() => onPress(key)}
                >
                  <kbd>{key === 'enter' ? '↵' : key}</kbd> {label}
                </button>
              ))}
            </div>
          )}
          {input && (
            <p class="input">
              {input.label} <span class="typed">{input.text}</span>
            </p>
          )}
        </>
      )}
    </div>
  );
}

/**
 * Keeps a click on a terminal's key from moving the focus to that key. So Enter on the keyboard still presses the
 * terminal's Enter.
 */
export function preventFocusMove(event: Event): void {
  event.preventDefault();
}
