import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkSameFile, readInodeNumber } from './same-file.ts';
import { createPrivateFile } from './sqlite-connection.ts';
import { temporaryDatabaseFile } from './temporary-file.fixture.ts';

test('a file that cannot be accessed is not taken for a deleted one: committed rows are stored', () => {
  const file = temporaryDatabaseFile();
  createPrivateFile(file);
  const place = readInodeNumber(file);
  renameSync(file, `${file}.away`);
  symlinkSync(file, file); // a link that leads to itself
  expect(readInodeNumber(file)).toBe(null);
  checkSameFile(file, place);
  rmSync(file);
  expect(() => checkSameFile(file, place)).toThrow('was removed or replaced');
  renameSync(`${file}.away`, file);
  checkSameFile(file, place);
});
