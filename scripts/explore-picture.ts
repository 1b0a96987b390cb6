import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import xterm from '@xterm/headless';
import { runPinpadInProcess } from '../test/cli/run-pinpad-in-process.ts';
import { drawTerminalWindowSvg } from './terminal-svg.ts';

/**
 * Makes the picture of a report for the README: `node scripts/explore-picture.ts`. For this, it explores the program of
 * docs/explore.md on this machine. `npm run generate` does not make the picture, because the durations in the picture
 * depend on the machine.
 */
const docs = join(import.meta.dirname, '../docs');
const columns = 132;
/** The number of causes in the picture, which has no room for more. */
const shownCauses = 2;

const folder = mkdtempSync(join(tmpdir(), 'pinpad-picture-'));
const here = process.cwd();
try {
  process.chdir(folder);
  const page = readFileSync(join(docs, 'explore.md'), 'utf8');
  writeFileSync('till.py', /^```python\n([\s\S]*?)^```/m.exec(page)?.[1] ?? '');
  const command = ['explore', '--workers', '2', '--shopper', 'visa-credit', '--', 'python3', 'till.py'];
  const { code, stdout, stderr } = await runPinpadInProcess(command);
  if (code !== 1 || !stdout.includes('covered')) throw new Error(`${stdout}\n${stderr}`);
  const text = shortened(`$ npx pinpad ${command.join(' ')}\n${stdout}`);
  const lines = text.split('\n');
  const rows = lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0);
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: true });
  await new Promise<void>((written) => terminal.write(lines.map(coloured).join('\n'), written));
  writeFileSync(join(docs, 'explore.svg'), drawTerminalWindowSvg(terminal, 'pinpad explore'));
  console.log(stdout);
} finally {
  process.chdir(here);
  rmSync(folder, { recursive: true, force: true });
}

/** Returns a shorter report. It has only the first causes, and no output of the explored program. */
function shortened(text: string): string {
  const [head = '', ...stories] = text.split(/^(?=✗ (?!\d+ fail))/m);
  const last = stories.at(-1) ?? '';
  const below = last.slice(Math.max(0, last.search(/^runs /m)));
  const shown = stories.slice(0, shownCauses).map((story) => story.replace(/^ {4}its output[\s\S]*/m, ''));
  return `${head}${shown.join('')}…\n${below}`.trimEnd();
}

/** Adds the colours that the line has in a terminal window. */
function coloured(line: string): string {
  const colour = line.startsWith('✗') ? 31 : /^(runs|covered) /.test(line) || line === '…' ? 2 : undefined;
  const painted = line.replace(/✓ \d+ survived/, (fine) => `\u001b[32m${fine}\u001b[0m`);
  return colour === undefined ? painted : `\u001b[${colour}m${painted}\u001b[0m`;
}
