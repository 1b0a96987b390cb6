import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Violation } from './check.ts';
import type { RoundLoad } from './load.ts';
import type { WebhookReceiver } from './webhook-receiver.ts';
import type { World } from './world.ts';

/**
 * Writes everything that explains violations into a folder, because a violation may happen only once. The folder gets
 * the faults of the processes, the requests with their answers, and the messages that the webhook receiver processed.
 * For each payment, debit, refund, credit or event in question, it also gets the rows of all tables and the lines of
 * all journals, including those of killed processes.
 *
 * The processes must have stopped, because a running gateway locks its database.
 */
export async function leaveEvidence(
  folder: string,
  world: World,
  receiver: WebhookReceiver,
  { load: { payments, office }, accidents }: { load: RoundLoad; accidents: readonly unknown[] },
  violations: readonly Violation[],
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const write = (name: string, content: unknown) =>
    writeFileSync(
      join(folder, name),
      typeof content === 'string' ? content : JSON.stringify(content, null, 2),
    );
  write('violations.json', violations);
  write('accidents.json', accidents);
  write('payments.json', payments);
  write(
    'back-office.json',
    office.map(({ orders, actions, complaints }) => ({ orders, actions, complaints })),
  );
  write('received.json', receiver.taken);
  const tables = await world.tables();
  const ids = new Set(violations.flatMap((violation) => violation.ids ?? []));
  for (const id of [...ids].slice(0, 20)) {
    write(`${id}.rows.json`, rowsAbout(tables, id));
    write(`${id}.journal.txt`, linesAbout(world.logs, id));
  }
}

/** Returns every row that has the identifier in one of its columns, or inside JSON in a column. */
function rowsAbout(tables: Awaited<ReturnType<World['tables']>>, id: string): typeof tables {
  const isAbout = (row: Record<string, unknown>) =>
    Object.values(row).some((value) => typeof value === 'string' && value.includes(id));
  const found = Object.entries(tables).map(([name, rows]) => [name, rows.filter(isAbout)] as const);
  return Object.fromEntries(found.filter(([, rows]) => rows.length > 0));
}

function linesAbout(folder: string, id: string): string {
  return readdirSync(folder)
    .flatMap((name) => {
      const lines = readFileSync(join(folder, name), 'utf8').split('\n');
      return lines.filter((line) => line.includes(id)).map((line) => `${name} ${line}`);
    })
    .join('\n');
}
