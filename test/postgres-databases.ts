import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { memoize } from '../shared/memoize.ts';

export const password = 'never-to-be-seen';

/** Every value as the server writes it. */
const types = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig;

/** The databases that tests make on a PostgreSQL server that runs. */
export class PostgresDatabases {
  readonly port: number;
  #made: string[] = [];
  /** Connections that are not used for a while end. */
  #connectionsTo = memoize((connectionString: string) => {
    const pool = new pg.Pool({ connectionString, types, idleTimeoutMillis: 1_000, allowExitOnIdle: true });
    return pool.on('error', () => {}); // its server was killed, or its database dropped
  });

  constructor(port: number) {
    this.port = port;
  }

  /** The URL of a new database: empty, or a copy of `template`. */
  async newUrl(template?: string): Promise<string> {
    const name = `test_${randomBytes(6).toString('hex')}`; // others make theirs on the same server
    await this.sql(`create database ${name} ${template === undefined ? '' : `template ${template}`}`);
    this.#made.push(name);
    return this.url(name);
  }

  /** The URL of a new database for gateways, which may bring its schema up to date. */
  newGatewaysUrl(): Promise<string> {
    return this.newUrl();
  }

  /** Drops the databases that were made by this object. */
  async drop(): Promise<void> {
    for (const name of this.#made.splice(0)) await this.sql(`drop database ${name} with (force)`);
  }

  url(database = 'postgres'): string {
    return `postgres://pinpad:${password}@127.0.0.1:${this.port}/${database}`;
  }

  /** Runs SQL and gives the rows as text, a line each. */
  async sql(text: string, url = this.url()): Promise<string> {
    const { rows } = await this.#connectionsTo(url).query<string[]>({ text, rowMode: 'array' });
    return rows.map((row) => row.join('|')).join('\n');
  }
}
