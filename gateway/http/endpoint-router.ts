import assert from 'node:assert';
import express, { type Request, type Router } from 'express';
import type { Journal } from '../../shared/journal.ts';
import { splitTarget } from '../../shared/request-target.ts';
import type { Faults } from '../faults/faults.ts';
import { applyRequestFault } from './apply-request-fault.ts';
import { checkMediaType, hasBody, parseForm, parseJsonBody, parseJsonOrText, readBody } from './body.ts';
import { makeHandlerCall } from './call.ts';
import { virtualTimeActivityOf } from './effect-on-virtual-time.ts';
import type { AnyCall, AnyEndpoint, Caller, DecryptedBody } from './endpoint.ts';
import { ApiError } from './errors.ts';
import type { Exchange } from './exchange.ts';
import { isFromLoopback } from './loopback.ts';
import { answerError, type Locals, type Middleware } from './middleware.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { ReceivedBody } from './received-body.ts';
import { findUnknownFields, validateRequest } from './validate.ts';

/** Reads the changes that other gateways have stored in the database, and puts them into this gateway's memory. */
export interface OtherGatewayChangeReader {
  /** Reads the changes of the other gateways. If the database does not answer, does nothing. */
  takeIn(): Promise<void>;
  /**
   * Reads the changes of the other gateways.
   * @throws if the database does not answer
   */
  current(): Promise<void>;
  /** Runs `work`. Then waits until the other gateways have read the changes that `work` has made. */
  knownToAll<Result>(work: () => Promise<Result>): Promise<Result>;
}

interface RouterParts {
  journal: Journal;
  faults?: Faults;
  others?: OtherGatewayChangeReader;
  rateLimiter?: RateLimiter;
}

/**
 * Makes the routes of some endpoints. An endpoint checks in the order of B116: 405, 501, 415, 413, 400, and then calls
 * its handler.
 */
export function makeEndpointRouter(all: readonly AnyEndpoint[], parts: RouterParts): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  for (const [path, endpoints] of byPath(all)) {
    const route = router.route(path.replaceAll(/\{(\w+)\}/g, ':$1'));
    for (const { admits, journaled } of endpoints) if (admits) route.all(admissionCheck(admits, journaled));
    for (const endpoint of endpoints) route[endpoint.method](endpointHandler(endpoint, parts));
    route.all(methodRefusal(endpoints));
    // An error is passed on in a later turn of the event loop. In that turn the gateway knows whether the client hung
    // up right after its request.
    route.all(answerError);
  }
  return router;
}

/**
 * Groups endpoints by their paths. Paths with fixed segments come before paths with parameters, so that a request for
 * `/a/b` does not reach the endpoint `/a/{id}`.
 */
function byPath(all: readonly AnyEndpoint[]): [string, AnyEndpoint[]][] {
  const rank = (path: string) => path.replaceAll(/\{\w+\}/g, '\u{ffff}');
  return [...Map.groupBy(all, ({ path }) => path)].sort(([a], [b]) => (rank(a) < rank(b) ? -1 : 1));
}

/**
 * Makes the handler that runs before the method and the body of a request are checked. In this handler an endpoint can
 * refuse the request. A refusal must not write a secret path into the journal.
 */
function admissionCheck(
  admits: NonNullable<AnyEndpoint['admits']>,
  journaled: AnyEndpoint['journaled'],
): Middleware {
  return (request, { locals }, next) => {
    locals.exchange.journaled = journaled ?? 'all';
    admits({ params: request.params, fromLoopback: isFromLoopback(request) });
    next();
  };
}

/**
 * Makes the handler that refuses a request if no endpoint of this path has the request's method. Like other refusals,
 * this refusal must not write a secret path into the journal.
 */
function methodRefusal(endpoints: readonly AnyEndpoint[]): Middleware {
  const secret = endpoints.every(({ journaled }) => journaled === 'nothing');
  const allowed = endpoints.flatMap(({ method }) =>
    method === 'get' ? ['GET', 'HEAD'] : method.toUpperCase(),
  );
  return (_, { locals }) => {
    if (secret) locals.exchange.journaled = 'nothing';
    throw new ApiError('methodNotAllowed', { headers: { Allow: allowed.join(', ') } });
  };
}

/**
 * Makes one handler that does all checks. Each additional handler would delay a request by a microsecond, or by two if
 * the handler is asynchronous.
 */
function endpointHandler(endpoint: AnyEndpoint, parts: RouterParts): Middleware {
  const handle = withOtherGatewaysChanges(endpoint, parts);
  return async (request, { locals }) => {
    noteEndpoint(endpoint, locals);
    const received = endpoint.body && (await bodyOf(endpoint, request));
    const { exchange } = locals;
    const body =
      endpoint.opens && received ? await decrypt(endpoint.opens(received), locals, parts) : received;
    const asks = endpoint.asks?.(body?.json);
    exchange.received(body, asks);
    if (
      parts.faults?.hasAny &&
      endpoint.guard !== 'control' &&
      (await applyRequestFault(parts.faults, locals, body?.sent ?? body?.text, asks))
    )
      return;
    const answering = handle(checkedCall(endpoint, request, locals, body?.json, parts.journal));
    const limited = endpoint.guard === 'token' && !endpoint.holds;
    await exchange.answer(await (limited ? exchange.inTime(answering) : answering));
  };
}

function noteEndpoint(endpoint: AnyEndpoint, locals: Locals): void {
  const { guard, method, path, journaled = 'all', sandboxOnly } = endpoint;
  const { exchange } = locals;
  assert(guard === 'open' || guard === locals.passed, `a request reached ${path} without passing its guard`);
  exchange.journaled = journaled;
  if (exchange.runtime.timeWaits.activity)
    exchange.time.begins(
      virtualTimeActivityOf(endpoint, locals.fromConsole === true),
      `${method.toUpperCase()} ${path}`,
    );
  if (sandboxOnly && locals.caller?.environment === 'production') throw new ApiError('notImplemented');
}

async function bodyOf(endpoint: AnyEndpoint, request: Request): Promise<ReceivedBody | undefined> {
  if (!hasBody(request)) {
    if (endpoint.bodyOptional) return undefined;
    throw new ApiError('invalidRequest', { message: 'This request needs a body' });
  }
  const type = endpoint.bodyType ?? 'json';
  checkMediaType(request, type);
  const bytes = await readBody(request, endpoint.largestBody);
  if (type === 'json') return parseJsonBody(bytes);
  if (type === 'anyText') return { ...parseJsonOrText(bytes), sent: bytes.toString('latin1') };
  const json = parseForm(bytes);
  return { json, text: JSON.stringify(json), sent: bytes.toString('latin1') };
}

/** Decrypts a body. The body names the caller, so the request needs no token. */
async function decrypt(
  opening: Promise<DecryptedBody>,
  locals: Locals,
  { rateLimiter }: RouterParts,
): Promise<ReceivedBody> {
  const { caller, body, seal } = await opening;
  const { exchange } = locals;
  exchange.authenticated = true;
  exchange.accountId = caller.accountId;
  exchange.seal = seal;
  locals.caller = caller;
  await rateLimiter?.take(caller.tokenId);
  return body;
}

function checkedCall(
  endpoint: AnyEndpoint,
  request: Request,
  { exchange, caller, fromConsole = false }: Locals,
  json: unknown,
  journal: Journal,
): AnyCall {
  const parsed = validateRequest(endpoint, request, request.params, splitTarget(request.url)[1], json);
  const paths = findUnknownFields(json, parsed.body);
  if (paths.length > 0 && exchange.journaled !== 'nothing')
    journal.add('request.unknownField', { requestId: exchange.requestId, paths }, exchange.about);
  if (hasUnusedIdempotencyKey(endpoint, request)) warnOfUnusedKey(exchange, journal);
  // The cast is safe. If an endpoint requires a token, there is always a caller. Handlers of other endpoints do not
  // read the caller.
  return makeHandlerCall(exchange, caller as Caller, { ...parsed, json, unknownFields: paths, fromConsole });
}

/**
 * Returns whether a client wrongly relies on an Idempotency-Key. Only payment requests use the key. A client that
 * sends the key with another request seems to rely on the key (B61).
 */
function hasUnusedIdempotencyKey({ guard, method, headers }: AnyEndpoint, request: Request): boolean {
  if (guard !== 'token' || method === 'get' || request.headers['idempotency-key'] === undefined) return false;
  return headers === undefined || !Object.hasOwn(headers.shape, 'idempotency-key');
}

function warnOfUnusedKey({ requestId, method, path }: Exchange, journal: Journal): void {
  const message = `${requestId} ${method} ${path} came with an Idempotency-Key, which this endpoint ignores: a repeated request is carried out again`;
  journal.add('warning', { message });
}

/**
 * Makes a handler that takes the changes of other gateways into account. A call of the control API reads these changes
 * first. Before such a call is answered, it waits until the other gateways have read the changes that the call has
 * made. If the handler of any API does not find something, another gateway may have just made it. Then the gateway
 * reads the changes, and the handler runs again.
 */
function withOtherGatewaysChanges(
  { guard, handle }: AnyEndpoint,
  { others }: RouterParts,
): AnyEndpoint['handle'] {
  if (!others) return handle;
  const withRetry: AnyEndpoint['handle'] = async (call) => {
    try {
      return await handle(call);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
      await others.current();
      return handle(call);
    }
  };
  if (guard !== 'control') return withRetry;
  return async (call) => {
    await others.takeIn();
    return others.knownToAll(() => withRetry(call));
  };
}
