import { loadPageStyleAndScript } from './page-files.ts';
import { makeRulesPage } from './rules-page.ts';

interface ConsolePageFile {
  readonly text: string;
  readonly type: 'text/html' | 'text/css' | 'text/javascript';
}

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>pinpad</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/console/page.css">
<script defer src="/console/page.js"></script>
</head>
<body><div id="app"></div><noscript>The console needs JavaScript. The control API offers the same functions: see docs/control-api.md.</noscript></body>
</html>
`;

/** Returns the file of the console with this name; undefined if the console has no such file. */
export async function readConsoleFile(name: string): Promise<ConsolePageFile | undefined> {
  if (name === 'index.html') return { text: page, type: 'text/html' };
  if (name === 'rules.html') return { text: makeRulesPage(), type: 'text/html' };
  if (name === 'page.css') return { text: (await loadPageStyleAndScript('console')).style, type: 'text/css' };
  if (name === 'page.js')
    return { text: (await loadPageStyleAndScript('console')).script, type: 'text/javascript' };
  return undefined;
}
