import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

interface CopyProps {
  /** A promise that is refused says why there is nothing to copy. */
  readonly text: () => string | Promise<string>;
  readonly children: ComponentChildren;
}

/** Puts a text on the clipboard, and says so. */
export function CopyButton({ text, children }: CopyProps) {
  const [said, say] = useState<string>();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(await text());
      say('Copied');
    } catch (error) {
      say(error instanceof NothingToCopy ? error.message : 'The browser refused');
    }
  };
  return (
    <button type="button" onClick={copy} onBlur={() => say(undefined)}>
      <span aria-live="polite">{said ?? children}</span>
    </button>
  );
}

/** Why there is nothing, in a few words. */
export class NothingToCopy extends Error {}
