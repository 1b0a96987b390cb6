import SQLite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import type { SqlStep } from './change.ts';
import { UnknownCommitOutcomeError } from './engine.ts';
import { SqliteBatchRunner } from './sqlite-batches.ts';

function opened(atCommit = () => {}) {
  const connection = new SQLite(':memory:');
  onTestFinished(() => void connection.close());
  connection.exec('create table thing (id integer primary key, name text)');
  const ran: string[] = [];
  const batches = new SqliteBatchRunner({
    get inTransaction() {
      return connection.inTransaction;
    },
    prepare(sql) {
      ran.push(sql);
      if (sql === 'commit') atCommit();
      return connection.prepare(sql);
    },
  });
  const ids = () => connection.prepare('select id from thing order by id').pluck().all();
  return { connection, batches, ids, ran };
}

const add = (id: number, name = 'x'): SqlStep => ({
  statement: { sql: 'insert into thing values (?, ?)', one: false, does: 'insert' },
  values: [id, name],
});

test('batches that all succeed are one transaction without savepoints', () => {
  const { batches, ran } = opened();
  batches.apply([[add(1), add(2)], [add(3)]]);
  expect(ran).toEqual(['begin', ...Array(3).fill('insert into thing values (?, ?)'), 'commit']);
});

test('if a full database ends the transaction of all batches by itself, those that fit are applied', () => {
  const { connection, batches, ids } = opened();
  connection.pragma('max_page_count = 4');
  const results = batches.apply([[add(1)], [add(9, 'x'.repeat(100_000))], [add(2)]]);
  expect(results).toMatchObject([{ is: 'applied' }, { because: 'storage' }, { is: 'applied' }]);
  expect([ids(), connection.inTransaction]).toEqual([[1, 2], false]);
});

test('a commit that meets a lock is known not to be applied', () => {
  const { batches, ids } = opened(() => {
    throw Object.assign(new Error('locked'), { code: 'SQLITE_BUSY' });
  });
  expect(batches.apply([[add(1)]])).toMatchObject([{ is: 'refused', because: 'storage' }]);
  expect(batches.apply([[add(1)], [add(2)]])).toMatchObject(Array(2).fill({ because: 'storage' }));
  expect(ids()).toEqual([]);
});

test.each([1, 2])(
  'after an I/O error at the commit of %i the result is unknown, and nothing is tried again',
  (count) => {
    const { batches, ran } = opened(() => {
      throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC' });
    });
    const asked = Array.from({ length: count }, (_, id) => [add(id)]);
    expect(() => batches.apply(asked)).toThrow(UnknownCommitOutcomeError);
    expect(ran.at(-1)).toBe('commit');
  },
);
