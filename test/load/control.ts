import { httpRequest } from './http-request.ts';

/** The gateway whose control API is called. */
export interface ControlledGateway {
  readonly url: string;
  readonly controlToken: string;
  /** The time limit for an answer, in ms. */
  readonly answerLimitMs: number;
}

/** One line of the acquirer's ledger, as GET /control/ledger returns it. */
export interface LedgerEntry {
  kind: 'authorized' | 'declined' | 'reversed' | 'closed' | 'captured' | 'refunded' | 'returned';
  /** The refund that moved the money. */
  refund?: string | null;
  /** The amount in major units. */
  amount: number;
  attemptId: string | null;
  card: string | null;
}

/** The comparison of the two ledgers, as GET /control/books returns it. */
export interface Books {
  agree: boolean;
  /** The number of payments that are not concluded yet. */
  open: number;
}

/**
 * Calls the control API, with PUT if there is a body and otherwise with GET. Statuses in `also` count as success, too.
 */
export async function callControl<Answer>(
  gateway: ControlledGateway,
  path: string,
  body?: unknown,
  also: number[] = [],
): Promise<Answer> {
  const { status, text } = await httpRequest(gateway.url + path, {
    method: body === undefined ? 'GET' : 'PUT',
    headers: { authorization: `Bearer ${gateway.controlToken}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    timeoutMs: gateway.answerLimitMs,
  });
  if (status !== 200 && !also.includes(status)) throw new Error(`${path} answered ${status}: ${text}`);
  return JSON.parse(text) as Answer;
}

/**
 * Returns all items of a paged list, latest first. If `until` is given, returns only the items that are later than the
 * item with that identifier.
 */
export async function controlList<Item extends { id: string }>(
  gateway: ControlledGateway,
  path: string,
  until?: string,
): Promise<Item[]> {
  const items: Item[] = [];
  for (;;) {
    const before = items.length === 0 ? '' : `&before=${items.at(-1)?.id}`;
    const page = await callControl<Item[]>(gateway, `${path}?limit=200${before}`);
    const known = page.findIndex(({ id }) => id === until);
    items.push(...(known === -1 ? page : page.slice(0, known)));
    if (known !== -1 || page.length < 200) return items;
  }
}
