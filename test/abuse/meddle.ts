import SQLite from 'better-sqlite3';

/**
 * Loaded with `--import` into the gateway's process. Asked to over the IPC channel, it moves the wall clock of the
 * process, as an administrator or NTP would, or lets its databases grow no more.
 */
interface Expected {
  /** From the real time. */
  wallClockOffsetMs?: number;
  databaseFull?: boolean;
}

const unlimited = 0xfffffffe;
const realDate = Date;
const { prepare } = SQLite.prototype;
const databases = new Set<SQLite.Database>();
let offsetMs = 0;

process.on('message', ({ wallClockOffsetMs, databaseFull }: Expected) => {
  offsetMs = wallClockOffsetMs ?? offsetMs;
  if (databaseFull !== undefined) for (const database of databases) limit(database, databaseFull);
});
process.channel?.unref();

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
