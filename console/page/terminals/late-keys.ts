/** Carries out keys that were held back, as the browser would have done. */
export class LateKeys {
  #waiting: string[] = [];
  #typing = false;
  /** Whether the present event comes from a key that is typed late. */
  typingNow = false;
  /** Takes keys that go to no field. */
  #onKey: (key: string) => void;

  constructor(onKey: (key: string) => void) {
    this.#onKey = onKey;
  }

  /** Types a key after the earlier ones. Each key meets the page that the key before it has made. */
  type(key: string): void {
    this.#waiting.push(key);
    if (!this.#typing) void this.#typeAll();
  }

  async #typeAll(): Promise<void> {
    this.#typing = true;
    // Preact draws in a microtask that was queued before this code goes on, and the browser handles no event before
    // both.
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

/** Edits for which there is no other way in a program: these keep the selection and can be undone. */
const edits: Record<string, string> = { Backspace: 'delete', Delete: 'forwardDelete' };

function typeInto(field: Field, key: string): void {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
  if (!field.dispatchEvent(event)) return;
  const edit = edits[key];
  if (key === 'Enter' && field instanceof HTMLInputElement) field.form?.requestSubmit();
  else if (edit) document.execCommand(edit);
  else if ([...key].length === 1) document.execCommand('insertText', false, key);
}
