import type { LedgerRow } from '../../../gateway/store/rows/acquirer.ts';
import { terminal } from '../inputs.ts';
import type { SharedDisk } from './shared-disk.ts';

type Rows = readonly object[];
type Answer = (disk: SharedDisk, parameters: readonly unknown[]) => Rows;

/** What a gateway asks the database beside its batches: a piece of its text, and what the disk answers. */
const statements: readonly (readonly [string, Answer])[] = [
  ['from "open_payments" as "open"', leftTo],
  ['from "open_payments" inner join', openOnTerminal],
  ['from "payments" left join "payment_results" as "ended"', ends],
  ['from "payments" left join', stored],
  ['from "ledger"', entries],
  ['from "terminal_owners" where "terminal_id" = $1', (disk) => (disk.owner ? [disk.owner] : [])],
  ['"gateway_id" <> $2', lostTo],
  ['update "terminal_owners" set "connected"', unlinked],
  ['update "terminal_owners"', (disk, [gateway]) => (disk.owner ? taken(disk, String(gateway), 1) : [])],
  ['insert into "terminal_owners"', upserted],
  ['update "open_payments" set "abort_acknowledged_at"', acknowledged],
];

/** @throws Error if it is a statement that the histories do not know */
export function answer(disk: SharedDisk, text: string, parameters: readonly unknown[]): Rows {
  const found = statements.find(([piece]) => text.includes(piece));
  if (!found) throw new Error(`a statement that the histories do not know: ${text}`);
  return found[1](disk, parameters);
}

function openOnTerminal(disk: SharedDisk): Rows {
  return [...disk.open.values()].map((row) => ({ ...disk.payments.get(row.payment_id), ...row }));
}

/** Open payments on a terminal of this gateway's, or of one that is gone. */
function leftTo(disk: SharedDisk, parameters: readonly unknown[]): Rows {
  const { owner } = disk;
  const lives = owner && !disk.ended.has(owner.gateway_id) ? owner.gateway_id : null;
  if (lives !== null && !parameters.includes(lives)) return [];
  return [...disk.open.values()].map((row) => ({ ...row, epoch: owner?.epoch ?? null, owner: lives }));
}

/** What became of payments whose end, or whose abort, is waited for. */
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

/** With a former epoch only where that is still the present one. */
function upserted(disk: SharedDisk, parameters: readonly unknown[]): Rows {
  const [, gateway, connected] = parameters;
  const [former] = parameters.slice(6);
  if (former !== undefined && disk.owner && disk.owner.epoch !== former) return [];
  return taken(disk, String(gateway), Number(connected));
}

function taken(disk: SharedDisk, gateway_id: string, connected: number): Rows {
  disk.owner = { gateway_id, connected, epoch: (disk.owner?.epoch ?? 0) + 1 };
  return [{ terminal_id: terminal.id, epoch: disk.owner.epoch }];
}

function acknowledged(disk: SharedDisk, [at, id]: readonly unknown[]): Rows {
  const row = disk.open.get(String(id));
  if (row) disk.open.set(String(id), { ...row, abort_acknowledged_at: Number(at) });
  return [];
}
