import { httpRequest } from './http-request.ts';

/** The gateway whose control API is asked. */
export interface ControlledGateway {
  readonly url: string;
  readonly controlToken: string;
  /** An answer that takes longer is none. */
  readonly answerLimitMs: number;
}

/** One line of the acquirer's book, as GET /control/ledger gives it. */
export interface LedgerEntry {
  kind: 'authorized' | 'declined' | 'reversed' | 'closed' | 'captured' | 'refunded' | 'returned';
  /** The refund that money moved for. */
  refund?: string | null;
  /** Major units. */
  amount: number;
  attemptId: string | null;
  card: string | null;
}

/** The comparison of the two books, as GET /control/books gives it. */
export interface Books {
  agree: boolean;
  /** Payments not concluded yet. */
  open: number;
}

/** Asks the control API; with a body it puts. Statuses of `also` count as success, too. */
export async function control<Answer>(
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

/** Everything of a list that is paged, the latest first; with `until` only what is later than that id. */
export async function controlList<Item extends { id: string }>(
  gateway: ControlledGateway,
  path: string,
  until?: string,
): Promise<Item[]> {
  const items: Item[] = [];
  for (;;) {
    const before = items.length === 0 ? '' : `&before=${items.at(-1)?.id}`;
    const page = await control<Item[]>(gateway, `${path}?limit=200${before}`);
    const known = page.findIndex(({ id }) => id === until);
    items.push(...(known === -1 ? page : page.slice(0, known)));
    if (known !== -1 || page.length < 200) return items;
  }
}
