import { Command } from 'commander';
import { copyFolderToPostgres, StartError } from '../gateway/index.ts';
import { systemClock } from '../shared/clock.ts';
import { makePrintable } from '../shared/printable.ts';
import { readClusterSecrets } from '../stack/index.ts';
import { makeOption } from './options.ts';

interface MigrateFlags {
  data: string;
  database?: string;
  json?: boolean;
}

export function makeMigrateCommand(): Command {
  return new Command('migrate')
    .description(
      'Copies all data of a folder into an empty PostgreSQL database: accounts, tokens and keys, terminals, payments and the books. ' +
        'If the copy fails, the database stays empty. Stop the gateway of the folder before you copy. ' +
        'The folder stays as it is, except that its data is upgraded to this release.',
    )
    .addOption(makeOption('--data <folder>', 'the folder to copy').default('.pinpad'))
    .addOption(makeOption('--database <url>', 'the address of an empty database: postgres://...'))
    .option('--json', 'print the result of the copy as JSON')
    .addHelpText('after', help)
    .action(migrate);
}

const help = `
After the copy, start the gateway with --database, and keep --data as it was: the memory of the terminals is still in this folder.
Other users of the machine can see a password in an argument; use PINPAD_DATABASE to hide it.

Exit code: 0 if everything was copied, 1 if the copy failed and the database is unchanged, 2 if the copy did not start.`;

async function migrate({ data, database = '', json }: MigrateFlags): Promise<void> {
  if (!/^postgres(ql)?:$/.test(URL.parse(database)?.protocol ?? ''))
    throw new StartError(
      'give an empty PostgreSQL database: --database postgres://user@host/database, or PINPAD_DATABASE; special characters of a password are written as %XX',
    );
  const secrets = readClusterSecrets(data);
  const progress = progressLines();
  const moved = await copyFolderToPostgres({ dataFolder: data, database, secrets, progress }).catch(brokeOff);
  if (!moved) return;
  const { rows, books } = moved;
  if (json) return console.log(JSON.stringify({ rows, books }));
  for (const [table, count] of Object.entries(rows)) if (count > 0) console.log(`${table}  ${count}`);
  console.log(
    `Everything was copied: ${books.concluded} payments concluded, ${books.open} open, ${verdict(books)}`,
  );
}

function brokeOff(error: unknown): void {
  if (error instanceof StartError) throw error;
  const reason = error instanceof Error ? error.message : String(error);
  console.error(makePrintable(`pinpad: the copy failed, and the database is unchanged: ${reason}`));
  process.exitCode = 1;
}

/**
 * Returns a sentence that says whether the two books agree. If they disagree, the migration copies them all the same,
 * so they also disagree in the new database.
 */
function verdict({ agree, disagreements }: { agree: boolean; disagreements: readonly unknown[] }): string {
  return agree
    ? 'the books agree.'
    : `the two books (the acquirer's ledger and the payments) differ in ${disagreements.length} places. They already differed in the folder, before the copy.`;
}

/** Prints at most one line a second. */
function progressLines(): (table: string, rows: number, of: number) => void {
  let saidAt = systemClock.monotonic();
  return (table, rows, of) => {
    if (systemClock.monotonic() - saidAt < 1_000) return;
    saidAt = systemClock.monotonic();
    console.error(`${table}: ${rows} of ${of}`);
  };
}
