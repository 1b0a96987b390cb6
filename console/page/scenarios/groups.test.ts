import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { groupScenariosByFolder } from './groups.ts';

const titles = (...files: string[]) =>
  groupScenariosByFolder(files.map((file) => ({ file }))).map(({ title }) => title);

test('the user’s own scenarios come first, and languages last (B264)', () => {
  const files = [
    'languages/screens.yaml',
    'paying/chip-and-pin.yaml',
    'scenarios/mine.yaml',
    'recorded.yaml',
  ];
  expect(titles(...files)).toEqual(['Yours', 'Paying', 'Languages']);
  expect(groupScenariosByFolder(files.map((file) => ({ file })))[0]?.scenarios).toHaveLength(2);
});

test('a folder of the user with the name of a shipped one stays the user’s own', () => {
  expect(titles('scenarios/paying/mine.yaml')).toEqual(['Yours']);
});

test('every folder that is shipped with pinpad has a title', () => {
  const folders = readdirSync('scenarios/library');
  const found = titles(...folders.map((folder) => `${folder}/a.yaml`));
  expect(found).toHaveLength(folders.length);
  expect(found.filter((title) => folders.includes(title))).toEqual([]);
});
