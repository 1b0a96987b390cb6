import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { postgresProgram } from './postgres-programs.ts';

export const password = 'never-to-be-seen';

/** The databases that tests make on a PostgreSQL server that runs. */
export class PostgresDatabases {
  readonly port: number;
  #made: string[] = [];

  constructor(port: number) {
    this.port = port;
  }

  /** The URL of a new database: empty, or a copy of `template`. */
  newUrl(template?: string): string {
    const name = `test_${randomBytes(6).toString('hex')}`; // others make theirs on the same server
    this.sql(`create database ${name} ${template === undefined ? '' : `template ${template}`}`);
    this.#made.push(name);
    return this.url(name);
  }

  /** The URL of a new database for gateways, which may bring its schema up to date. */
  newGatewaysUrl(): string {
    return this.newUrl();
  }

  /** Drops the databases that were made by this object. */
  drop(): void {
    const drops = this.#made.splice(0).map((name) => `drop database ${name} with (force)`);
    if (drops.length > 0) this.#psql(drops, this.url());
  }

  url(database = 'postgres'): string {
    return `postgres://pinpad:${password}@127.0.0.1:${this.port}/${database}`;
  }

  /** Runs SQL and gives what it prints, a row a line. */
  sql(text: string, url = this.url()): string {
    return this.#psql([text], url);
  }

  #psql(texts: string[], url: string): string {
    const args = ['--no-psqlrc', '--quiet', '--tuples-only', '--no-align', '--set=ON_ERROR_STOP=1'];
    const commands = texts.flatMap((text) => ['--command', text]);
    const psql = postgresProgram('psql');
    return execFileSync(psql, [...args, '--dbname', url, ...commands], { encoding: 'utf8' }).trim();
  }
}
