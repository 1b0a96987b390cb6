import { isMainThread } from 'node:worker_threads';
import SQLite from 'better-sqlite3';

/**
 * This module is loaded with `--import` into {@link file://./committing.ts}. It makes the fifth commit fail in the
 * thread that writes.
 */
const probe = new SQLite(':memory:');
const statements = Object.getPrototypeOf(probe.prepare('select 1')) as {
  run(this: SQLite.Statement): unknown;
};
probe.close();
const { run } = statements;
let commits = 0;

const deaths: Record<string, () => unknown> = {
  'an error': () => {
    process.nextTick(() => {
      throw new Error('a defect');
    });
  },
  'its end': () => process.exit(7), // in a worker thread, `exit` ends only the thread
  'no memory': () => {
    const taken: unknown[] = [];
    while (true) taken.push(Array(1e6).fill(1));
  },
  'an I/O error': () => {
    throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC' });
  },
};

if (!isMainThread)
  statements.run = function (this: SQLite.Statement, ...values: []) {
    if (this.source === 'commit' && ++commits === 5) deaths[process.env.DEATH as string]?.();
    return run.apply(this, values);
  };
