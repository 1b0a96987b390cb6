import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readyJson } from '../cli/gateway/ready.ts';
import { journalLimitsSchema } from '../shared/journal.ts';
import { defaultTimeouts } from '../shared/timeouts.ts';
import { resolveConfig, startStack } from '../stack/index.ts';
import { loadConfig } from '../stack/load-config.ts';

/** Starts a gateway with all settings of docs/configuration.md at once. */

const page = readFileSync(join(import.meta.dirname, '../docs/configuration.md'), 'utf8');
const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];

function withFile<Result>(text: string, use: (file: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), 'docs-'));
  try {
    writeFileSync(join(folder, 'pinpad.yaml'), text);
    return use(join(folder, 'pinpad.yaml'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('a gateway starts with the configuration on the page', async () => {
  const withoutReader = example.replace(/^ *reader: .*$/m, '');
  const changes = { port: 0, memory: true, clock: 'virtual', logLevel: 'silent' } as const;
  const stack = await startStack(withFile(withoutReader, (file) => resolveConfig(file, changes)));
  try {
    expect(stack.tokens.map(({ token }) => token)).toContain('test_a-token-of-your-own-choosing');
    expect(stack.terminals.map(({ poiId }) => poiId)).toEqual(['V400m-100000001', 'P400-100000002']);
    const table = /\| Field \|[\s\S]*?\n\n/.exec(page)?.[0] ?? '';
    const described = [...table.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, names = '']) =>
      names.match(/\w+/g),
    );
    expect(described).toEqual(expect.arrayContaining(Object.keys(JSON.parse(readyJson(stack)))));
  } finally {
    await stack.close();
  }
});

const load = (text: string) => withFile(text, loadConfig);

test('an unknown field is reported by its line', () => {
  const line = example.split('\n').findIndex((one) => one.startsWith('seed:')) + 1;
  expect(() => load(example.replace('seed:', 'sead:'))).toThrow(
    new RegExp(`yaml:${line}: .*sead is not known`),
  );
  const deep = example.split('\n').findIndex((one) => one.includes('language: en')) + 1;
  expect(() => load(example.replace('language: en', 'tongue: en'))).toThrow(
    new RegExp(`yaml:${deep}: .*tongue`),
  );
});

test('the page lists every timeout with its default, and no other', () => {
  const rows = page.matchAll(/^\| `(\w+Ms)` \| ([\d ]+?)(?: \((\d+) (min|h|d)\))? \| /gm);
  const unitMs = { min: 60_000, h: 3_600_000, d: 86_400_000 };
  const reported = Array.from(rows, ([, name, value = '', count, unit]) => {
    const ms = Number(value.replaceAll(' ', ''));
    if (unit) expect([name, Number(count) * unitMs[unit as keyof typeof unitMs]]).toEqual([name, ms]);
    return [name, ms];
  });
  expect(reported).toHaveLength(new Set(reported.map(([name]) => name)).size);
  expect(Object.fromEntries(reported)).toEqual(defaultTimeouts);
});

test('the page lists the default sizes of the journal, and no other', () => {
  const [, block = ''] = /^journal: .*\n((?: {2}.*\n)+)/m.exec(example) ?? [];
  const sizes = Array.from(block.matchAll(/^ {2}(\w+): (\d+)/gm), ([, name, value]) => [name, Number(value)]);
  expect(Object.fromEntries(sizes)).toEqual(journalLimitsSchema.parse({}));
});
