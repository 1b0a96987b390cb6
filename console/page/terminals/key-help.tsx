const helpLines = [
  ['0 … 9', 'the terminal’s keys'],
  ['Enter', 'enter'],
  ['Backspace', 'clear'],
  ['Esc', 'cancel'],
  ['i t s k', 'insert, tap, swipe, key in the chosen card'],
  ['r', 'remove the card'],
  ['u', 'unblock the card'],
  ['↑ ↓', 'choose a card'],
  ['← →', 'choose a terminal'],
  ['/', 'search the cards'],
  ['a', 'ring up a sale'],
  ['p n', 'power, network cable'],
] as const;

/** Explains each key of this page. */
export function KeyHelp({ open }: { open: boolean }) {
  return (
    <details class="key-help" open={open}>
      <summary>
        Keys <kbd>?</kbd>
      </summary>
      <dl>
        {helpLines.map(([keys, text]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
