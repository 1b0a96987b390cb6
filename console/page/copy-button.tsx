import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

interface CopyProps {
  /** Gives the text. It throws an error with a few words if there is nothing to copy. */
  readonly text: () => string | Promise<string>;
  readonly children: ComponentChildren;
}

/** Puts a text on the clipboard, and says so. */
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

/** Copies a text. A browser refuses this to a page without a secure address, and may ask its user. */
async function putOnClipboard(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    throw new Error('The browser refused');
  }
}
