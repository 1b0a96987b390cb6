import { describe } from 'vitest';
import { testCommitContract } from './commit-contract.fixture.ts';
import { Database } from './database.ts';
import { fillDatabase } from './full-database.fixture.ts';
import { temporaryDatabaseFile } from './temporary-file.fixture.ts';

const fill = (database: { write(work: never): Promise<unknown> }) =>
  fillDatabase((work) => database.write(work as never));

describe('an SQLite file', () => {
  testCommitContract((options) => Database.open({ ...options, file: temporaryDatabaseFile() }), fill);
});

describe('an SQLite file with a thread', () => {
  testCommitContract((options) =>
    Database.open({ ...options, file: temporaryDatabaseFile(), threadAfter: 0 }),
  );
});

describe('SQLite in memory', () => {
  testCommitContract((options) => Database.open({ ...options, file: ':memory:' }), fill);
});
