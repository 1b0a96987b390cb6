import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { memoize } from '../shared/memoize.ts';

export const password = 'never-to-be-seen';

/** Keeps every value as the text that the server sends. */
const types = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig;

/** The databases that tests create on a running PostgreSQL server. */
export class PostgresDatabases {
  readonly port: number;
  #made: string[] = [];
  /** Connections that are not used for a while are closed. */
  #connectionsTo = memoize((connectionString: string) => {
    const pool = new pg.Pool({ connectionString, types, idleTimeoutMillis: 1_000, allowExitOnIdle: true });
    return pool.on('error', () => {}); // the server was killed, or the database dropped
  });

  constructor(port: number) {
    this.port = port;
  }

  /** Creates a database, empty or as a copy of `template`, and resolves to its URL. */
  async newUrl(template?: string): Promise<string> {
    const name = `test_${randomBytes(6).toString('hex')}`; // other test files create databases on the same server
    await this.sql(`create database ${name} ${template === undefined ? '' : `template ${template}`}`);
    this.#made.push(name);
    return this.url(name);
  }

  /** Creates a database whose schema gateways may bring up to date, and resolves to its URL. */
  newGatewaysUrl(): Promise<string> {
    return this.newUrl();
  }

  /** Drops the databases that this object created. */
  async drop(): Promise<void> {
    for (const name of this.#made.splice(0)) await this.sql(`drop database ${name} with (force)`);
  }

  url(database = 'postgres'): string {
    return `postgres://pinpad:${password}@127.0.0.1:${this.port}/${database}`;
  }

  /** Runs SQL and resolves to the rows as text, one line for each row. */
  async sql(text: string, url = this.url()): Promise<string> {
    const { rows } = await this.#connectionsTo(url).query<string[]>({ text, rowMode: 'array' });
    return rows.map((row) => row.join('|')).join('\n');
  }
}
