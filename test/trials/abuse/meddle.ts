import { BroadcastChannel, isMainThread } from 'node:worker_threads';
import SQLite from 'better-sqlite3';

/**
 * This module is loaded with `--import` into the gateway's process. On request over the IPC channel, it moves the wall
 * clock of all threads, as an administrator or NTP would. It can also keep the databases from growing.
 */
interface Expected {
  /** The difference between the moved clock and the real time. */
  wallClockOffsetMs?: number;
  databaseFull?: boolean;
}

const unlimited = 0xfffffffe;
const realDate = Date;
const { prepare } = SQLite.prototype;
const databases = new Set<SQLite.Database>();
let offsetMs = 0;

const toThreads = new BroadcastChannel('meddle');
toThreads.unref();
if (isMainThread) {
  process.on('message', (expected: Expected) => {
    meddle(expected);
    toThreads.postMessage(expected);
  });
  process.channel?.unref();
} else toThreads.onmessage = (message) => meddle((message as { data: Expected }).data);

function meddle({ wallClockOffsetMs, databaseFull }: Expected): void {
  offsetMs = wallClockOffsetMs ?? offsetMs;
  if (databaseFull !== undefined) for (const database of databases) limit(database, databaseFull);
}

class ShiftedDate extends realDate {
  constructor(...values: [] | [value: number]) {
    if (values.length === 0) super(ShiftedDate.now());
    else super(...values);
  }
  static override now(): number {
    return realDate.now() + offsetMs;
  }
}
globalThis.Date = ShiftedDate as DateConstructor;

SQLite.prototype.prepare = function (this: SQLite.Database, sql: string) {
  if (!this.memory) databases.add(this);
  return prepare.call(this, sql);
} as typeof prepare;

function limit(database: SQLite.Database, full: boolean): void {
  if (!database.open) return;
  const pages = full ? Number(database.pragma('page_count', { simple: true })) : unlimited;
  database.pragma(`max_page_count = ${pages}`);
}
