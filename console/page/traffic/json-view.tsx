import type { ComponentChildren } from 'preact';

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;

/** Shows a value as indented JSON. Colours distinguish kinds of values. */
export function JsonView({ value }: { value: unknown }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <pre class="json" tabIndex={0}>
      {coloured(JSON.stringify(value, null, 2) ?? '')}
    </pre>
  );
}

function coloured(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const found of text.matchAll(token)) {
    const [whole, string, colon] = found;
    parts.push(text.slice(at, found.index));
    const kind = string === undefined ? 'literal' : colon === undefined ? 'string' : 'name';
    parts.push(<span class={kind}>{whole}</span>);
    at = found.index + whole.length;
  }
  return [...parts, text.slice(at)];
}
