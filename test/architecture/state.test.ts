import { expect } from 'vitest';
import { allFiles, callersOf, readProjectFile, writers } from './code.ts';
import { checkSection, historyInvariant, houseTest, memoryTest } from './page.ts';

/** Checks the section "State" of ARCHITECTURE.md: which tables are written, by which files, and where SQL is. */

const batches = (title: string) => ['shared/database/commit-contract.fixture.ts', title] as const;

checkSection('State', {
  'The gateway has one SQLite file': [
    () =>
      expect(callersOf('Database\\.open')).toEqual([
        'gateway/store/store.ts',
        'terminal-emulator/terminal/memory.ts',
      ]),
    () => expect(callersOf('openGatewayStore')).toEqual(['gateway/store/open-data.ts']),
    ['terminal-emulator/terminal/memory.test.ts', 'every change is on disk before it has effects'],
  ],
  'The terminals of a process have another file': [
    ['terminal-emulator/terminal/memory.test.ts', 'every change is on disk before it has effects'],
  ],
  'Changes are values': [
    batches('a batch inserts, updates and deletes, in its order'),
    batches('a batch that is alone in its turn is also refused completely'),
    historyInvariant('is answered and not on disk'),
  ],
  'A change is valid only after the commit': [historyInvariant('is answered and not on disk')],
  'After the first fifty batches, a thread': [['shared/database/sqlite.ts', 'threadAfter = 50']],
  'Batches that are made at nearly the same time share': [
    [
      'shared/database/sqlite-batches.test.ts',
      'batches that all succeed are one transaction without savepoints',
    ],
  ],
  'The rows of payments, results and the ledger have time-ordered keys': [onlyAddedTo],
  'A payment under way has a row in `open_payments`': [openPaymentsAreUpdated],
  'The row in `open_payments` is updated': [openPaymentsAreUpdated],
  'Decisions that must not overlap take turns': [
    [
      'shared/lanes.test.ts',
      'turns of one lane run one after the other, and turns of other lanes run meanwhile',
    ],
    [
      'gateway/refunds/sequences.property.test.ts',
      'the sums and the books stay correct if many requests come at once',
    ],
  ],
  'There is a lane for the payments of each terminal': [
    [
      'shared/lanes.test.ts',
      'turns of one lane run one after the other, and turns of other lanes run meanwhile',
    ],
  ],
  'Rows of refunds, debits, credits and webhook deliveries are updated': [
    () =>
      expect(
        ['refunds', 'debits', 'credits', 'webhook_deliveries'].filter(
          (table) => writers(table).update?.length === 0,
        ),
      ).toEqual([]),
  ],
  "A terminal's memory has the payment under way": [
    memoryTest('unfinished work is recalled, and acknowledged work is not'),
    memoryTest('outcomes are deleted after 48 h, but not before they are delivered'),
    () => {
      const [, schema = ''] = readProjectFile('terminal-emulator/terminal/memory-schema.ts').split(
        'interface MemorySchema {',
      );
      const tables = Array.from(schema.matchAll(/^ {2}(\w+): \{/gm), ([, table]) => table);
      expect(tables).toEqual(['under_way', 'outcome', 'undelivered', 'reversal', 'holder']);
    },
  ],
  'Statements about rows are built with Kysely': [sqlIsBuilt],
  'SQL statements that control transactions and sessions are written as text': [sqlIsBuilt],
  'Queries use only SQL that both': [houseTest('SQL of PostgreSQL is only in')],
  'The code for features that only SQLite has': [
    () =>
      expect(allFiles.filter(({ text }) => /better-sqlite3'/.test(text)).map(({ path }) => path)).toEqual([
        'shared/database/sqlite-connection.ts',
      ]),
    () =>
      expect(
        allFiles
          .filter(({ path, text }) => /\bpragma\(['"`]/.test(text) && !/^shared\/database\/sqlite/.test(path))
          .map(({ path }) => path),
      ).toEqual([]),
  ],
  'The code for features that only PostgreSQL has': [houseTest('SQL of PostgreSQL is only in')],
  'The same set of tests runs with SQLite': [
    ['shared/database/commit.test.ts', 'commit-contract.fixture.ts'],
    ['shared/database/postgres.test.ts', 'commit-contract.fixture.ts'],
  ],
});

function onlyAddedTo(): void {
  const core = 'gateway/payments/core';
  expect(writers('payments')).toEqual({ insert: [`${core}/accepting.ts`], update: [], delete: [] });
  const ending = [`${core}/accepting.ts`, `${core}/concluding.ts`];
  expect(writers('payment_results')).toEqual({ insert: ending, update: [], delete: [] });
  expect(writers('ledger')).toEqual({ insert: ['gateway/acquirer/entries.ts'], update: [], delete: [] });
}

function openPaymentsAreUpdated(): void {
  expect(writers('open_payments')).toEqual({
    insert: ['gateway/payments/core/accepting.ts'],
    // remote-payment-follower.ts stores that a payment of another gateway has to be aborted. requested-aborts.ts
    // stores that such a request for an abort has reached the terminal.
    update: [
      'gateway/cluster/payments/remote-payment-follower.ts',
      'gateway/cluster/payments/requested-aborts.ts',
      'gateway/payments/core/accepting.ts',
      'gateway/payments/core/delivering.ts',
    ],
    delete: ['gateway/payments/core/concluding.ts'],
  });
}

function sqlIsBuilt(): void {
  const text =
    /(?<!sql|sql<[^`]*>)[`'"]\s*(insert into (?!the slot)|delete from|select [\w*,. ]+ from|update \w+ set|begin;|savepoint )/i;
  const byHand = allFiles.filter(({ text: code }) => text.test(code)).map(({ path }) => path);
  expect(byHand.length).toBeGreaterThan(0);
  expect(byHand.filter((path) => !path.startsWith('shared/database/'))).toEqual([]);
  const drivers = allFiles.filter(({ text: code }) => /from '(?:pg|better-sqlite3)'/.test(code));
  expect(drivers.filter(({ path }) => !path.startsWith('shared/database/'))).toEqual([]);
}
