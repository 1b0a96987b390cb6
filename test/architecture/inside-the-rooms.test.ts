import { globSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fileAt, findRuntimeImports, inFolder, productFiles, readProjectFile, root } from './code.ts';
import { checkDialectsLoadLate } from './dialects.ts';
import { readRoomMaps, sections } from './page.ts';

/** Checks the section "Inside the rooms" of ARCHITECTURE.md: every file and folder is where the section's maps say. */

test('each section of ARCHITECTURE.md has a test file', () => {
  const checked = globSync('test/architecture/*.test.ts', { cwd: root })
    .flatMap((path) =>
      Array.from(
        readProjectFile(path).matchAll(/^(?:checkSection\(|describe\('ARCHITECTURE.md, ")['"]?([^'"]+)/gm),
      ),
    )
    .map(([, section]) => section);
  expect(checked.sort()).toEqual(sections().sort());
});

describe('ARCHITECTURE.md, "Inside the rooms"', () => {
  // In the maps, the words in brackets describe a folder. No test can tell whether these descriptions are good. On
  // 2026-11-28, all of them were compared with the names of the folder's files and with the docstrings of its main
  // files.
  test('has a map of these rooms', () => {
    expect(readRoomMaps().map(([room]) => room)).toEqual([
      'shared',
      'gateway',
      'gateway/payments',
      'terminal-emulator',
      'scenarios',
      'leading',
      'cli/mcp',
      'explore',
    ]);
  });

  test.each(readRoomMaps())('%s/ has every file and folder on its map', (room, map) => {
    const names = Array.from(map.matchAll(/`(?!\/)([\w./-]+(?:\.ts|\/))`/g), ([, name = '']) => name);
    expect(names.length).toBeGreaterThan(3);
    const isThere = (name: string) =>
      `${room}/` === name || globSync(`${room}/**/${name.replace(/\/$/, '')}`, { cwd: root }).length > 0;
    expect(names.filter((name) => !isThere(name))).toEqual([]);
  });

  test('`shared/`: single modules are files', () => {
    const [, map = ''] = readRoomMaps()[0] ?? [];
    const [, named = ''] = /small parts are single files, such as (.*)\.$/m.exec(map) ?? [];
    const files = Array.from(named.matchAll(/`([\w-]+)`/g), ([, name]) => `shared/${name}.ts`);
    expect(files.length).toBeGreaterThan(3);
    expect(files.filter((path) => !productFiles.some((file) => file.path === path))).toEqual([]);
  });

  test('the folders of accounts, events and webhooks contain only services, and `control/` has their endpoints', () => {
    const own = ['accounts', 'events', 'webhooks'].flatMap((folder) => inFolder(`gateway/${folder}`));
    expect(own.filter(({ text }) => /\bendpoint\(/.test(text)).map(({ path }) => path)).toEqual([]);
  });

  test("the journal uses `masking/`, and Node's variables name files of `preload/`", () => {
    expect(findRuntimeImports(fileAt('shared/journal.ts'))).toContain('shared/masking/mask.ts');
    expect(readProjectFile('leading/variables/node-variables.ts')).toContain('preload/lead.cjs');
  });

  test('`dialects/` are not loaded together with the gateway', checkDialectsLoadLate);
});
