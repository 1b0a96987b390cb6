import type { TerminalRow } from '../store/rows/terminals.ts';
import type { Tx } from '../store/schema.ts';
import type { GatewayStore } from '../store/store.ts';

/** The first number that is given to a terminal. The number is so high that a configuration hardly ever uses it. */
const firstNumber = 200_000_001;

/** The maximum number of terminal numbers in one query. */
const atOnce = 1_000;

/** The terminal that has a device key, and whether the terminal has just been made. */
interface TerminalOfKey {
  readonly row: TerminalRow;
  readonly made: boolean;
}

type MakeRow = (poiId: string, hash: string) => TerminalRow;

/**
 * Gives the terminals with these device keys, in the order of the keys. For an unknown key, makes a terminal with a
 * number that no terminal has or had. The same keys always give the same terminals, even if another gateway gets the
 * same keys at the same time (B197).
 */
export async function findOrCreateTerminals(
  store: GatewayStore,
  hashes: readonly string[],
  makeRow: MakeRow,
): Promise<TerminalOfKey[]> {
  const known = await store.read((db) => readByKeys(db, hashes));
  if (hashes.every((hash) => known.has(hash))) return inOrder(hashes, known, []);
  return store.write(async (db) => {
    const last = await lockLastNumber(db);
    // Another gateway may have made some of these terminals before this gateway got the lock.
    const knownNow = await readByKeys(db, hashes);
    const missing = hashes.filter((hash) => !knownNow.has(hash));
    const numbers = await freeNumbers(db, last, missing.length);
    const made = missing.map((hash, nth) => makeRow(poiIdOf(numbers[nth] as number), hash));
    if (made.length > 0) await db.insertInto('terminals').values(made).execute();
    await db
      .updateTable('terminal_numbers')
      .set({ last: numbers.at(-1) ?? last })
      .execute();
    return inOrder(hashes, knownNow, made);
  });
}

function inOrder(
  hashes: readonly string[],
  known: ReadonlyMap<string, TerminalRow>,
  made: readonly TerminalRow[],
): TerminalOfKey[] {
  const madeNow = new Map(made.map((row) => [row.device_key_hash, row]));
  return hashes.map((hash) => ({
    row: (madeNow.get(hash) ?? known.get(hash)) as TerminalRow,
    made: madeNow.has(hash),
  }));
}

async function readByKeys(db: Tx, hashes: readonly string[]): Promise<Map<string, TerminalRow>> {
  const rows = await db
    .selectFrom('terminals')
    .selectAll()
    .where('device_key_hash', 'in', hashes)
    .orderBy('id', 'desc')
    .execute();
  // If two terminals have the same key, the older terminal is used.
  return new Map(rows.map((row) => [row.device_key_hash, row]));
}

/**
 * Reads the last number that was given to a terminal, and locks the row of this number. Until this transaction ends,
 * other gateways wait.
 */
async function lockLastNumber(db: Tx): Promise<number> {
  await db
    .insertInto('terminal_numbers')
    .values({ name: 'V400m', last: firstNumber - 1 })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const { last } = await db
    .updateTable('terminal_numbers')
    .set(({ ref }) => ({ last: ref('last') }))
    .returning('last')
    .executeTakeFirstOrThrow();
  return last;
}

/**
 * Gives the next numbers after `last` that no terminal has. A configuration or an earlier release may have used some
 * of the numbers.
 */
async function freeNumbers(db: Tx, last: number, count: number): Promise<number[]> {
  const free: number[] = [];
  for (let next = last + 1; free.length < count; next += atOnce) {
    const numbers = Array.from({ length: atOnce }, (_, nth) => next + nth);
    const rows = await db
      .selectFrom('terminals')
      .select('poi_id')
      .where('poi_id', 'in', numbers.map(poiIdOf))
      .execute();
    const taken = new Set(rows.map((row) => row.poi_id));
    free.push(...numbers.filter((number) => !taken.has(poiIdOf(number))));
  }
  return free.slice(0, count);
}

function poiIdOf(number: number): string {
  return `V400m-${number}`;
}
