import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoize } from '../shared/memoize.ts';

/** The page to which findings link: the sections about rules from docs/lint.md and docs/sales.md. */
export const makeRulesPage = memoize(
  () => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Mistakes of a point of sale</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/console/page.css">
</head>
<body><main class="rules"><h1>What a point of sale does wrong</h1>
<p><a href="/console">The console</a></p>
${rules().map(sectionOf).join('\n')}
</main></body>
</html>
`,
);

interface Rule {
  readonly id: string;
  /** The text in Markdown. */
  readonly text: string;
}

function rules(): Rule[] {
  return [
    ...rulesIn('lint.md', /^## `([a-z0-9-]+)`\n([^#]+)/gm),
    ...rulesIn('sales.md', /^### ([a-z-]+)\n([^#]+)/gm),
  ];
}

function rulesIn(page: string, section: RegExp): Rule[] {
  return [...docs(page).matchAll(section)].map(([, id = '', text = '']) => ({ id, text }));
}

/**
 * Returns the text of a page in the folder docs. In the sources, docs is beside the folder of this file. In a built
 * package, docs is one folder further up.
 */
function docs(page: string): string {
  const places = ['..', '../..'].map((up) => join(import.meta.dirname, up, 'docs', page));
  return readFileSync(places.find((place) => existsSync(place)) ?? page, 'utf8');
}

function sectionOf({ id, text }: Rule): string {
  const paragraphs = text.trim().split(/\n\n+/);
  return `<section id="${id}"><h2>${id}</h2>${paragraphs.map((each) => `<p>${inline(each)}</p>`).join('')}</section>`;
}

/**
 * Renders the parts of Markdown that the sections use. Links to pages that this server does not serve become plain
 * text.
 */
function inline(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replaceAll(/\[([^\]]+)\]\((https:[^)]+)\)/g, '<a href="$2">$1</a>')
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');
}
