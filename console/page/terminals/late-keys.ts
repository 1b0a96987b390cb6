/** Types keys that were held back. Each key has the effect that it would have had in the browser. */
export class LateKeyTyper {
  #waiting: string[] = [];
  #typing = false;
  /** Whether the present event comes from a key that was held back and is typed only now. */
  typingNow = false;
  /** Called with each key that neither types into a field nor presses the focused element. */
  #onKey: (key: string) => void;

  constructor(onKey: (key: string) => void) {
    this.#onKey = onKey;
  }

  /**
   * Types a key after all earlier keys. Between two keys, the page gets time for the changes that the earlier key
   * causes.
   */
  type(key: string): void {
    this.#waiting.push(key);
    if (!this.#typing) void this.#typeAll();
  }

  async #typeAll(): Promise<void> {
    this.#typing = true;
    // Between two turns of this loop, Preact redraws the page, and the browser handles no other event. So each key
    // acts on the page as the previous key has left it.
    for (let key = this.#next(); key !== undefined; key = this.#next()) {
      this.#typeNow(key);
      await undefined;
    }
    this.#typing = false;
  }

  #next(): string | undefined {
    return this.#waiting.shift();
  }

  #typeNow(key: string): void {
    const target = document.activeElement;
    this.typingNow = true;
    if (isField(target)) typeInto(target, key);
    else if (target instanceof HTMLElement && pressesElement(target, key)) target.click();
    else this.#onKey(key);
    this.typingNow = false;
  }
}

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export function isField(element: Element | null): element is Field {
  return (
    element?.matches('input:not([type=checkbox], [type=radio], [type=range]), textarea, select') ?? false
  );
}

/** Whether a key presses the focused element. */
export function pressesElement(element: Element, key: string): boolean {
  return (
    (key === 'Enter' && element.matches('button, a, summary')) ||
    (key === ' ' && element.matches('button, summary, input'))
  );
}

/**
 * The editing commands for keys. Only these commands let a program edit a field in a way that keeps the selection and
 * can be undone.
 */
const edits: Record<string, string> = { Backspace: 'delete', Delete: 'forwardDelete' };

function typeInto(field: Field, key: string): void {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
  if (!field.dispatchEvent(event)) return;
  const edit = edits[key];
  if (key === 'Enter' && field instanceof HTMLInputElement) field.form?.requestSubmit();
  else if (edit) document.execCommand(edit);
  else if ([...key].length === 1) document.execCommand('insertText', false, key);
}
