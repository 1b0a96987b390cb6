import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findProgram } from './find-program.ts';
import { testThoroughly } from './optional-programs.ts';

/**
 * Checks the blocks of the documentation that users paste into a shell. These blocks must not contain comments, because
 * zsh does not allow comments at its prompt.
 */

const root = join(import.meta.dirname, '..');
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'examples/pos/README.md',
  'examples/python/README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** The blocks of commands to paste: those marked `sh`, and unmarked ones that begin with a command or a function. */
const blocks = pages.flatMap((page) =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .filter(([, language = '', text = '']) =>
      language === '' ? /^(curl|npm|npx|node|control|pinpad|sudo|\w+=)\b/.test(text) : language === 'sh',
    )
    .map(([, , text = ''], nth) => ({ block: `${page}, block ${nth + 1}`, text })),
);

/**
 * Returns the arguments of all commands of a block. They are sorted, because commands in the background come in any
 * order. The shell finds no program, so nothing runs.
 */
function argumentsIn(shell: 'bash' | 'zsh', text: string, folder: string): string[] {
  const handler = shell === 'bash' ? 'command_not_found_handle' : 'command_not_found_handler';
  const print = `${handler}() { printf '<%s>\\n' "$@" >&3; }`;
  const program = findProgram(shell) ?? shell;
  const flags = shell === 'bash' ? ['--norc', '--noprofile', '-i'] : ['-fi'];
  const { output } = spawnSync(program, flags, {
    input: `${print}\n${text}\nexit\n`,
    env: {
      PATH: '/nowhere',
      PS1: '',
      PROMPT: '',
      HOME: '/nowhere',
      TERM: 'dumb',
      URL: 'http://127.0.0.1:8080',
    },
    cwd: folder,
    stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    timeout: 60_000,
  });
  return (output[3] ?? '').split('\n').filter(Boolean).toSorted();
}

/** Matches a word that a shell passes on unchanged, apart from its quotes. */
const plainWord = /(?:[\w./:@,+=-]+|'[^'\\]*'|"[^"$`\\!]*")/.source;
const plainLine = new RegExp(`^ *${plainWord}(?: +${plainWord})* *$`);

/**
 * Returns the words of the plain lines. A plain line contains nothing that the shell interprets, and calls no function
 * of the block.
 */
function wordsIn(text: string): string[] {
  const isPlain = (line: string, before = '') => plainLine.test(line) && !before.endsWith('\\');
  const isCall = (line: string) => text.includes(`${line.split(' ')[0]}() {`);
  const isSetting = (line: string) => /^ *(export )?\w+=/.test(line);
  const lines = text
    .split('\n')
    .filter((line, nth, all) => isPlain(line, all[nth - 1]) && !isCall(line) && !isSetting(line));
  return lines.flatMap((line) => {
    const [, ...words] = line.match(new RegExp(plainWord, 'g')) ?? [];
    return words.map((word) => `<${word.replaceAll(/^['"]|['"]$/g, '')}>`);
  });
}

test('the documentation has blocks that can be pasted', () => {
  expect(blocks.length).toBeGreaterThan(15);
});

test.each(blocks)('$block has no comment, because zsh would take a comment for arguments', ({ text }) => {
  expect(text.split('\n').filter((line) => /(^|\s)#(\s|$)/.test(line))).toEqual([]);
});

test.each(blocks)('$block has nothing after a command except its arguments', ({ text }) => {
  expect(text.split('\n').filter((line) => /^\S.*\S {2,}\S/.test(line))).toEqual([]);
});

describe('pasted into zsh and into bash', () => {
  testThoroughly('zsh', 'bash')(
    'each block gives its commands the same arguments, which are what it says',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'pasted-')); // a block may write a file
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const inBash = blocks.map(({ block, text }) => ({ block, said: argumentsIn('bash', text, folder) }));
      expect(inBash.filter(({ said }) => said.length > 0).length).toBeGreaterThan(15);
      for (const [nth, { block, said }] of inBash.entries()) {
        const text = blocks[nth]?.text ?? '';
        for (const word of wordsIn(text)) expect(said, block).toContain(word);
        expect(argumentsIn('zsh', text, folder), block).toEqual(said);
      }
    },
  );
});
