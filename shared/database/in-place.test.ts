import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fileAt, stillAt } from './in-place.ts';
import { makePrivate } from './sqlite-connection.ts';
import { temporaryDatabaseFile } from './temporary-file.fixture.ts';

test('a file that cannot be accessed is not taken for a deleted one: committed rows are stored', () => {
  const file = temporaryDatabaseFile();
  makePrivate(file);
  const place = fileAt(file);
  renameSync(file, `${file}.away`);
  symlinkSync(file, file); // a link that leads to itself
  expect(fileAt(file)).toBe(null);
  stillAt(file, place);
  rmSync(file);
  expect(() => stillAt(file, place)).toThrow('was removed or replaced');
  renameSync(`${file}.away`, file);
  stillAt(file, place);
});
