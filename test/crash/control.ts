import { httpRequest } from './http-request.ts';
import type { World } from './world.ts';

/** One line of the acquirer's book, as GET /control/ledger gives it. */
export interface LedgerEntry {
  kind: 'authorized' | 'declined' | 'reversed' | 'closed';
  /** Major units. */
  amount: number;
}

/** The comparison of the two books, as GET /control/books gives it. */
export interface Books {
  agree: boolean;
  /** Payments not concluded yet. */
  open: number;
}

/** Asks the control API; with a body it puts. */
export async function control<Answer>(world: World, path: string, body?: unknown): Promise<Answer> {
  const { status, text } = await httpRequest(world.url + path, {
    method: body === undefined ? 'GET' : 'PUT',
    headers: { authorization: `Bearer ${world.controlToken}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    timeoutMs: world.answerLimitMs,
  });
  if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
  return JSON.parse(text) as Answer;
}
