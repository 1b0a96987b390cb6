import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** What undici publishes about a request (its documented diagnostics channels). */
interface UndiciRequest {
  origin: string | URL;
  headers: string | readonly unknown[];
  addHeader(name: string, value: string): void;
}

/**
 * Counts the requests that other code of this process sends to the gateway with `fetch`: a point of sale that is
 * tested beside it. They get a Request-Id, so that the gateway's journal shows when they have arrived.
 *
 * @returns how to stop
 */
export function countForeignRequests(
  url: string,
  count: (requestId: string, over: Promise<void>) => void,
): () => void {
  const origin = new URL(url).origin;
  const open = new WeakMap<UndiciRequest, () => void>();
  let requests = 0;
  const created = (message: unknown) => {
    const { request } = message as { request: UndiciRequest };
    if (new URL(request.origin).origin !== origin || hasRequestId(request)) return;
    const requestId = `pos-${++requests}`;
    request.addHeader('request-id', requestId);
    count(requestId, new Promise((resolve) => open.set(request, resolve)));
  };
  const over = (message: unknown) => {
    const { request } = message as { request: UndiciRequest };
    // The waiting code continues in the next turns of the event loop.
    setImmediate(() => setImmediate(() => open.get(request)?.()));
  };
  subscribe('undici:request:create', created);
  subscribe('undici:request:trailers', over);
  subscribe('undici:request:error', over);
  return () => {
    unsubscribe('undici:request:create', created);
    unsubscribe('undici:request:trailers', over);
    unsubscribe('undici:request:error', over);
  };
}

function hasRequestId({ headers }: UndiciRequest): boolean {
  const names = typeof headers === 'string' ? headers.split('\r\n') : headers;
  return names.some((name) => /^request-id(:|$)/i.test(String(name)));
}
