import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

interface CopyProps {
  /** Throws an error that says, in a few words, why there is nothing to copy. */
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

/** A browser lets no page without a secure address, and asks its user where it likes. */
async function putOnClipboard(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    throw new Error('The browser refused');
  }
}
