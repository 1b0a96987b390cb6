import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** The documented fields of the requests that undici publishes on its diagnostics channels. */
interface UndiciRequest {
  origin: string | URL;
  path: string;
  headers: string | readonly unknown[];
  addHeader(name: string, value: string): void;
}

/** A request with this path is not counted, because it keeps time stopped as long as it lasts. */
const holding = '/control/clock/hold';

/**
 * Matches the request ids that the gateway takes over unchanged. The ids of scenarios do not match, because scenarios
 * count their own requests.
 */
const countable = /^(?!scenario-)(?!.*\d{12})[\w.:-]{1,128}$/;

/**
 * Counts the requests that other code in this process sends to the gateway with `fetch`, for example a point of sale
 * under test. A request without a Request-Id gets a new Request-Id, so that the gateway can report when the request has
 * arrived.
 *
 * @returns a function that stops counting
 */
export function watchForeignRequests(
  url: string,
  count: (requestId: string, over: Promise<void>) => void,
): () => void {
  const origin = new URL(url).origin;
  const open = new WeakMap<UndiciRequest, () => void>();
  let requests = 0;
  const created = (message: unknown) => {
    const { request } = message as { request: UndiciRequest };
    if (new URL(request.origin).origin !== origin || request.path === holding) return;
    const given = givenRequestId(request);
    if (given !== undefined && !countable.test(given)) return;
    const requestId = given ?? `pos-${++requests}`;
    if (given === undefined) request.addHeader('request-id', requestId);
    count(requestId, new Promise((resolve) => open.set(request, resolve)));
  };
  const over = (message: unknown) => {
    const { request } = message as { request: UndiciRequest };
    // The request ends only after the next turns of the event loop, because the code that awaits the answer continues
    // in those turns.
    setImmediate(() => setImmediate(() => open.get(request)?.()));
  };
  /**
   * If the answer is a stream of events, which has no end, the request counts as over when the head of the answer has
   * come.
   */
  const headers = (message: unknown) => {
    const { response } = message as { response: { headers: readonly Uint8Array[] } };
    const type = response.headers.findIndex(
      (name, at) => at % 2 === 0 && /^content-type$/i.test(String(name)),
    );
    if (String(response.headers[type + 1]).startsWith('text/event-stream')) over(message);
  };
  subscribe('undici:request:create', created);
  subscribe('undici:request:headers', headers);
  subscribe('undici:request:trailers', over);
  subscribe('undici:request:error', over);
  return () => {
    unsubscribe('undici:request:create', created);
    unsubscribe('undici:request:headers', headers);
    unsubscribe('undici:request:trailers', over);
    unsubscribe('undici:request:error', over);
  };
}

function givenRequestId({ headers }: UndiciRequest): string | undefined {
  if (typeof headers === 'string') return /^request-id: *(.*)$/im.exec(headers)?.[1]?.trim();
  const at = headers.findIndex((name, index) => index % 2 === 0 && /^request-id$/i.test(String(name)));
  return at === -1 ? undefined : String(headers[at + 1]);
}
