import { execFileSync } from 'node:child_process';
import { hostname } from 'node:os';
import { postgresProgram } from '../postgres-programs.ts';

/**
 * Returns the whole content of a PostgreSQL database as statements. Each statement ends at the end of a line. The rows
 * of the table `changes`, which inform other gateways, are left out, because these rows name the server's transactions.
 * This machine's name is left out, too.
 */
export function postgresText(url: string): string {
  const noted = '--exclude-table-data=public.changes';
  const args = ['--inserts', '--no-owner', '--no-privileges', '--no-comments', noted, `--dbname=${url}`];
  const dump = execFileSync(postgresProgram('pg_dump'), args, { encoding: 'utf8', maxBuffer: 100_000_000 });
  const lines = dump
    .split('\n')
    .filter((line) => line !== '' && !/^(--|SET |\\|SELECT pg_catalog.set_config)/.test(line));
  return lines
    .join('\n')
    .replaceAll(/\n(?! *(INSERT|ALTER|CREATE|SELECT) )\s*/g, ' ')
    .replaceAll('; \n', ';\n')
    .replaceAll(hostname(), 'till')
    .concat('\n');
}
