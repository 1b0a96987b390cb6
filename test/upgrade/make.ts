import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import SQLite from 'better-sqlite3';
import { PostgresServer } from '../postgres-server.ts';
import { type LeftOpenState, leaveWorkOpen } from './leave-open.ts';
import { postgresText } from './postgres-dump.ts';

/**
 * Makes what `upgrade.test.ts` opens: a data folder and a PostgreSQL database of another commit, whose gateway was
 * killed with open payments. Run `git worktree add FOLDER COMMIT`, link node_modules into it, then run `node
 * test/upgrade/make.ts FOLDER NAME`. NAME is the name of the fixture: the commit, or 0.1.0 for da077bba, the last
 * commit of that version. Version 0.1.0 does not support PostgreSQL, so use `--folder` to make only a folder.
 */
const [sources = '', name = '', only] = process.argv.slice(2);
const fixtures = join(import.meta.dirname, name);

await make('folder', ['--clock', 'virtual', '--seed', '27']);
if (only !== '--folder') {
  const server = await PostgresServer.start();
  try {
    const url = await server.newUrl();
    await make('postgres', ['--database', url]);
    writeFileSync(join(fixtures, 'postgres/database.sql'), postgresText(url));
  } finally {
    await server.remove();
  }
}

async function make(name: string, args: readonly string[]): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'pinpad-make-'));
  const to = join(fixtures, name);
  mkdirSync(to, { recursive: true });
  const program = join(sources, 'bin/pinpad.js');
  const up = ['up', '--headless', '--json', '--port', '0', '--pacing', 'instant', '--data', data, ...args];
  const child = spawn(process.execPath, [program, ...up], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const known: LeftOpenState = await leaveWorkOpen(JSON.parse(line), only !== '--folder');
    child.kill('SIGKILL');
    await once(child, 'exit');
    writeFileSync(join(to, 'known.json'), `${JSON.stringify(known, null, 2)}\n`);
    copyFileSync(join(data, 'credentials.json'), join(to, 'credentials.json'));
    const files = name === 'folder' ? ['pinpad', 'terminals'] : ['terminals'];
    for (const file of files)
      writeFileSync(join(to, `${file}.sql`), sqliteText(join(data, `${file}.sqlite`)));
  } finally {
    child.kill('SIGKILL');
    rmSync(data, { recursive: true });
  }
}

/** Returns the whole content of an SQLite file as statements. Each statement ends at the end of a line. */
function sqliteText(file: string): string {
  const database = new SQLite(file);
  try {
    const made = database
      .prepare<[], { type: string; name: string; sql: string }>(
        "select type, name, sql from sqlite_schema where sql is not null and name not like 'sqlite_%' order by type = 'table' desc, rowid",
      )
      .all();
    const tables = made.filter(({ type }) => type === 'table').map(({ name }) => name);
    const rows = tables.flatMap((table) => {
      const columns = database.prepare<[], { name: string }>(
        `select name from pragma_table_info('${table}')`,
      );
      const values = columns.all().map(({ name }) => `quote("${name}")`);
      const text = `select 'insert into "${table}" values (' || ${values.join(" || ', ' || ")} || ')' from "${table}"`;
      return database.prepare<[], string>(text).pluck().all();
    });
    const statements = [...made.map(({ sql }) => sql.replaceAll(/\s+/g, ' ')), ...rows];
    return statements.map((statement) => `${statement};\n`).join('');
  } finally {
    database.close();
  }
}
