import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

interface CopyProps {
  /** Returns the text to copy. Throws an error with a short message if there is nothing to copy. */
  readonly text: () => string | Promise<string>;
  readonly children: ComponentChildren;
}

/** A button that copies a text to the clipboard, and then says that the text was copied. */
export function CopyButton({ text, children }: CopyProps) {
  const [said, say] = useState<string>();
  const copy = async () => {
    try {
      await putOnClipboard(await text());
      say('Copied');
    } catch (error) {
      say((error as Error).message);
    }
  };
  return (
    <button type="button" onClick={copy} onBlur={() => say(undefined)}>
      <span aria-live="polite">{said ?? children}</span>
    </button>
  );
}

/**
 * Copies a text to the clipboard. A browser allows this only to a page with a secure address, and may also ask the user
 * for permission.
 */
async function putOnClipboard(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    throw new Error('The browser refused');
  }
}
