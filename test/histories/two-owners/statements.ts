import type { LedgerRow } from '../../../gateway/store/rows/acquirer.ts';
import { terminal } from '../inputs.ts';
import type { SharedDisk } from './shared-disk.ts';

type Rows = readonly object[];
type Answer = (disk: SharedDisk, parameters: readonly unknown[], text: string) => Rows;

/**
 * The statements that a gateway sends outside of its batches. Each entry has a part of the statement's text, and the
 * disk's answer.
 */
const statements: readonly (readonly [string, Answer])[] = [
  ['from "open_payments" as "open"', leftTo],
  ['from "open_payments" inner join', openOnTerminal],
  ['from "payments" left join "payment_results" as "ended"', ends],
  ['left join "given_back"', ofOriginal],
  ['from "payments" left join', stored],
  ['from "ledger"', entries],
  ['from "terminal_owners" where "terminal_id" = $1', (disk) => (disk.owner ? [disk.owner] : [])],
  ['"gateway_id" <> $2', lostTo],
  ['update "terminal_owners" set "connected"', unlinked],
  ['with given as', takenFree],
  ['insert into "terminal_owners"', upserted],
  ['update "open_payments" set "abort_acknowledged_at"', acknowledged],
];

/** @throws Error if the histories do not know the statement */
export function answerStatement(disk: SharedDisk, text: string, parameters: readonly unknown[]): Rows {
  const found = statements.find(([piece]) => text.includes(piece));
  if (!found) throw new Error(`a statement that the histories do not know: ${text}`);
  return found[1](disk, parameters, text);
}

function openOnTerminal(disk: SharedDisk): Rows {
  return [...disk.open.values()].map((row) => ({ ...disk.payments.get(row.payment_id), ...row }));
}

/** Returns the open payments on terminals of this gateway, or of a gateway that is gone. */
function leftTo(disk: SharedDisk, parameters: readonly unknown[]): Rows {
  const { owner } = disk;
  const lives = owner && !disk.ended.has(owner.gateway_id) ? owner.gateway_id : null;
  if (lives !== null && !parameters.includes(lives)) return [];
  return [...disk.open.values()].map((row) => ({ ...row, epoch: owner?.epoch ?? null, owner: lives }));
}

/**
 * Returns those of the named payments that have ended, or whose abort the terminal has acknowledged. Requests wait for
 * these payments or for their abort.
 */
function ends(disk: SharedDisk, parameters: readonly unknown[]): Rows {
  const ids = parameters.flat().filter((id) => disk.payments.has(String(id)));
  return ids.flatMap((asked) => {
    const id = String(asked);
    const [result, open] = [disk.results.get(id), disk.open.get(id)];
    const { abort_asked_at: at = null, abort_acknowledged_at: acknowledged = null } = open ?? {};
    if (!result && (at === null || acknowledged === null || acknowledged < at)) return [];
    const { answer = null, outcome = null } = result ?? {};
    return [{ id, answer, outcome, abort_acknowledged_at: acknowledged }];
  });
}

function stored(disk: SharedDisk, [id]: readonly unknown[]): Rows {
  const row = disk.payments.get(String(id));
  if (!row) return [];
  const { result = null, error_condition = null } = disk.results.get(row.id) ?? {};
  return [{ ...row, result, error_condition }];
}

function ofOriginal(disk: SharedDisk, [id]: readonly unknown[]): Rows {
  const row = disk.payments.get(String(id));
  if (!row) return [];
  const { total = null, answer = null, outcome = null } = disk.results.get(row.id) ?? {};
  return [{ ...row, total, answer, outcome, given_back: disk.givenBack.get(row.id) ?? null }];
}

function entries(disk: SharedDisk, [id]: readonly unknown[]): readonly LedgerRow[] {
  const rows = disk.ledger.get(String(id)) ?? [];
  return rows.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

function lostTo({ owner }: SharedDisk, [, gateway]: readonly unknown[]): Rows {
  return owner && owner.gateway_id !== gateway ? [{ terminal_id: terminal.id, epoch: owner.epoch }] : [];
}

function unlinked(disk: SharedDisk, [connected, , epoch]: readonly unknown[]): Rows {
  const { owner } = disk;
  if (owner && owner.epoch === epoch) disk.owner = { ...owner, connected: Number(connected) };
  return [];
}

type Dialled = Pick<NonNullable<SharedDisk['owner']>, 'gateway_id' | 'connected' | 'instance' | 'dial'>;

/**
 * Takes over the terminal. Nothing changes if the disk names no owner of the terminal, or if the terminal has dialled
 * another gateway after it dialled this one.
 */
function takenFree(disk: SharedDisk, [given, gateway]: readonly unknown[]): Rows {
  const [dialled] = JSON.parse(String(given)) as Pick<Dialled, 'instance' | 'dial'>[];
  if (!disk.owner || !dialled) return [];
  const { instance, dial } = dialled;
  return taken(disk, { gateway_id: String(gateway), connected: 1, instance, dial });
}

/** Takes over a terminal. The statement names the epoch, which must still be the current one. */
function upserted(disk: SharedDisk, parameters: readonly unknown[], text: string): Rows {
  const [, gateway_id, connected, instance, dial] = parameters as [unknown, string, number, string, number];
  const row: Dialled = { gateway_id, connected, instance, dial };
  if (!/where "terminal_owners"\."epoch" = /.test(text)) return taken(disk, row);
  if (disk.owner && disk.owner.epoch !== parameters.at(-1)) return [];
  return owned(disk, row);
}

function taken(disk: SharedDisk, row: Dialled): Rows {
  const { owner } = disk;
  const isStale =
    owner?.connected === 1 &&
    owner.dialled_epoch === owner.epoch &&
    owner.instance === row.instance &&
    (owner.dial ?? 0) > (row.dial ?? 0) &&
    owner.gateway_id !== row.gateway_id &&
    !disk.ended.has(owner.gateway_id);
  return isStale ? [] : owned(disk, row);
}

function owned(disk: SharedDisk, row: Dialled): Rows {
  const epoch = (disk.owner?.epoch ?? 0) + 1;
  disk.owner = { ...row, epoch, dialled_epoch: epoch };
  return [{ terminal_id: terminal.id, epoch }];
}

function acknowledged(disk: SharedDisk, [at, id]: readonly unknown[]): Rows {
  const row = disk.open.get(String(id));
  if (row) disk.open.set(String(id), { ...row, abort_acknowledged_at: Number(at) });
  return [];
}
