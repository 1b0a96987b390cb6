import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/** Puts a text on the clipboard, and says so. */
export function CopyButton({ text, children }: { text: () => string; children: ComponentChildren }) {
  const [said, say] = useState<string>();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      say('Copied');
    } catch {
      say('The browser refused');
    }
  };
  return (
    <button type="button" onClick={copy} onBlur={() => say(undefined)}>
      <span aria-live="polite">{said ?? children}</span>
    </button>
  );
}
