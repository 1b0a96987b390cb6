import { writeSync } from 'node:fs';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';
import SQLite from 'better-sqlite3';
import type { Effect } from '../../gateway/payments/core/effects.ts';
import { nameCommit } from '../../gateway/payments/core/step.ts';
import { PaymentEffectRunner } from '../../gateway/payments/moving/payment-effects.ts';
import type { RowChange } from '../../gateway/store/schema.ts';
import { Database } from '../../shared/database/database.ts';
import { PostgresWriterSession } from '../../shared/database/postgres-session.ts';
import type { StepKill } from '../load/gateway-process.ts';

/**
 * This module is loaded with `--import` into a process that has to die at a step. On request over the IPC channel,
 * the process kills itself right before or after a commit, or right before or after an effect of a payment. These
 * are all possible steps, because nothing changes on disk between two commits, and nothing leaves the process
 * between two effects. Every thread of the process loads this module and counts its own commits, and the log tells
 * which thread reached the step. Usually a thread begins to write only after some time, and most of these processes
 * are killed before that time. So in most of these processes, this module makes a thread write from the first batch
 * on.
 */
const probe = new SQLite(':memory:');
const statements = Object.getPrototypeOf(probe.prepare('select 1')) as {
  run(this: SQLite.Statement): unknown;
};
probe.close();
const { run } = statements;
let death: StepKill | undefined;

const { open } = Database;
if (process.pid % 4 > 0)
  Database.open = (options) => open.call(Database, { ...options, threadAfter: 0 }) as never;

const toThreads = new BroadcastChannel('kill-at-step');
toThreads.unref();
if (isMainThread) {
  process.on('message', (message: { killAtStep?: StepKill }) => {
    death = message.killAtStep ?? death;
    toThreads.postMessage(death);
  });
  process.channel?.unref();
} else
  toThreads.onmessage = (message) => {
    death = (message as { data: StepKill }).data;
  };

statements.run = function (this: SQLite.Statement, ...values: []) {
  const counts = death?.of === 'commit' && !death.name && (death.moment !== 'thread' || !isMainThread);
  if (!death || !counts || this.source !== 'commit' || --death.steps > 0) return run.apply(this, values);
  if (death.moment === 'broken')
    throw Object.assign(new Error('disk I/O error, made by the crash test'), { code: 'SQLITE_IOERR' });
  if (death.moment !== 'before') run.apply(this, values);
  return die(`${death.moment} a commit of the ${isMainThread ? 'main' : 'writing'} thread`);
};

const { transact } = PostgresWriterSession.prototype;
PostgresWriterSession.prototype.transact = async function (...transaction) {
  const now = death?.of === 'commit' && !death.name && --death.steps <= 0;
  if (now && death?.moment === 'before') die('before a transaction');
  const ending = transact.apply(this, transaction);
  if (now) await ending.then(() => die('after a transaction'));
  return ending;
};

const effects = PaymentEffectRunner.prototype.run;
PaymentEffectRunner.prototype.run = function (all: readonly Effect[]) {
  for (const effect of all) {
    const now = death?.of === 'effect' && (death.name ?? effect.do) === effect.do && --death.steps <= 0;
    if (now && death?.moment === 'before') die(`before the effect ${effect.do}`);
    effects.call(this, [effect]);
    if (now) die(`after the effect ${effect.do}`);
  }
};

/**
 * If a death at a commit with a certain name is set, kills the process before or after a payment's commit with that
 * name. If `refuses` is set, refuses every fifth commit of a payment. If a refused commit writes only to the ledger,
 * the reason for the refusal is a constraint. Otherwise the reason is that the disk is full.
 */
let refusable = 0;
const { commit } = Database.prototype;
Database.prototype.commit = function (batch) {
  const { name } = death ?? {};
  if (
    death?.of === 'commit' &&
    name &&
    nameCommit(batch as readonly RowChange[]) === name &&
    --death.steps <= 0
  ) {
    if (death.moment === 'before') die(`before the commit ${name}`);
    return commit.call(this, batch).finally(() => die(`after the commit ${name}`));
  }
  const tables = batch.map((change) => Object.values(change)[0] as string);
  const ofHost = tables.every((table) => table === 'ledger');
  const ofPayment = ofHost || tables.some((table) => table === 'payments' || table === 'open_payments');
  if (!death?.refuses || !ofPayment || ++refusable % 5 > 0) return commit.call(this, batch);
  const because = ofHost ? 'constraint' : 'storage';
  const code = because === 'storage' ? 'SQLITE_FULL' : 'SQLITE_CONSTRAINT';
  const error = Object.assign(new Error(`${because}, made by the crash test`), { code });
  return Promise.resolve({ is: 'refused', because, error } as const);
};

function die(where: string): true {
  writeSync(2, `killed ${where}\n`);
  return death?.moment === 'thread' && !isMainThread ? process.exit(7) : process.kill(process.pid, 'SIGKILL');
}
