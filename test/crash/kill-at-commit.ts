import SQLite from 'better-sqlite3';
import type { CommitKill } from '../load/world.ts';

/**
 * Loaded with `--import` into a process that is to die at a step: asked to over the IPC channel, it kills itself right
 * before or after a commit. Between any two commits nothing changes on disk, so these are all the steps there are.
 */
const probe = new SQLite(':memory:');
const statements = Object.getPrototypeOf(probe.prepare('select 1')) as {
  run(this: SQLite.Statement): unknown;
};
probe.close();
const { run } = statements;
let death: CommitKill | undefined;

process.on('message', (message: { killAtCommit?: CommitKill }) => {
  death = message.killAtCommit ?? death;
});
process.channel?.unref();

statements.run = function (this: SQLite.Statement, ...values: []) {
  if (!death || this.source !== 'commit' || --death.commits > 0) return run.apply(this, values);
  if (death.moment === 'after') run.apply(this, values);
  return process.kill(process.pid, 'SIGKILL');
};
