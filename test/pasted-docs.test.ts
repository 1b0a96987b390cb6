import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findProgram } from './find-program.ts';
import { testWith } from './optional-programs.ts';

/** Blocks of the documentation are pasted into a shell, and zsh takes no comments at its prompt. */

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

/** Commands to paste: blocks that say `sh`, and those that say nothing and begin with a command. */
const blocks = pages.flatMap((page) =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .filter(([, language = '', text = '']) =>
      language === ''
        ? /^(curl|npm|npx|control|pinpad) /.test(text) && !/ {4,}\S/.test(text)
        : language === 'sh',
    )
    .map(([, , text = ''], nth) => ({ block: `${page}, block ${nth + 1}`, text })),
);

/** What all commands of a block are given, sorted: what runs in the background comes at any time. No program is found, so nothing runs. */
function argumentsIn(shell: 'bash' | 'zsh', text: string): string[] {
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
    stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    timeout: 60_000,
  });
  return (output[3] ?? '').split('\n').filter(Boolean).toSorted();
}

test('the documentation has blocks to paste', () => {
  expect(blocks.length).toBeGreaterThan(15);
});

test.each(blocks)('$block has no comment, which zsh would take for arguments', ({ text }) => {
  expect(text.split('\n').filter((line) => /(^|\s)#(\s|$)/.test(line))).toEqual([]);
});

describe('pasted into zsh and into bash', () => {
  testWith('zsh', 'bash')('each block gives its commands the same arguments', () => {
    const inBash = blocks.map(({ block, text }) => ({ block, said: argumentsIn('bash', text) }));
    expect(inBash.filter(({ said }) => said.length > 0).length).toBeGreaterThan(15);
    for (const [nth, { block, said }] of inBash.entries())
      expect(argumentsIn('zsh', blocks[nth]?.text ?? ''), block).toEqual(said);
  });
});
