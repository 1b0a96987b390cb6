import { createHash } from 'node:crypto';
import type { TraceData } from './page/trace/trace-data.ts';
import { loadPageStyleAndScript } from './page-files.ts';

/**
 * Makes a self-contained page from a trace. The page fetches nothing except live entries, and it runs only its own
 * script.
 */
export async function makeTracePage(data: TraceData): Promise<string> {
  const { style, script } = await loadPageStyleAndScript('trace');
  const policy = [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(script)}`,
    'img-src data:',
    ...(data.live ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,"><title>${escaped(data.title)} - pinpad trace</title><style>${style}</style></head>
<body><div id="app"></div><noscript>This page needs JavaScript. The data of the trace is in this file.</noscript>
<script type="application/json" id="trace">${inScript(JSON.stringify(data))}</script>
<script>${script}</script></body></html>
`;
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/**
 * Escapes JSON so that the JSON cannot end the script element or begin a comment, whatever a point of sale has sent.
 */
function inScript(json: string): string {
  return json.replaceAll('<', '\\u003c');
}
