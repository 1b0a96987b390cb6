import assert from 'node:assert';
import type { IncomingMessage, ServerResponse } from 'node:http';
import Router from 'router';
import type { Journal } from '../../shared/journal.ts';
import { splitTarget } from '../../shared/request-target.ts';
import { checkMediaType, hasBody, parseBody, parseForm, readBody } from './body.ts';
import type { AnyEndpoint, Caller } from './endpoint.ts';
import { ApiError } from './errors.ts';
import type { Exchange, ReceivedBody } from './exchange.ts';
import type { Faults } from './faults.ts';
import { type Authenticate, authorizationOf, bearerToken, sameSecret, unauthorized } from './guards.ts';
import type { RateLimiter } from './rate-limit.ts';
import { unknownFields, validate } from './validate.ts';

/** Takes a request to its endpoint and sees that it is answered. Its `url` must be a path. */
export type App = (request: IncomingMessage, response: ServerResponse, exchange: Exchange) => void;

export interface AppOptions {
  endpoints: readonly AnyEndpoint[];
  authenticate: Authenticate;
  controlToken: string;
  rateLimiter?: RateLimiter | undefined;
  journal: Journal;
  faults?: Faults | undefined;
}

/** What a request carries on its way. */
interface Locals {
  exchange: Exchange;
  /** Which guard let it in; none yet where it is undefined. */
  passed?: 'token' | 'control';
  caller?: Caller;
}
/** One that was received, so it has a method and an address. */
type Request = Router.Request & { method: string; url: string };
type Answering = Router.Response & { locals: Locals };

const controlPath = /^\/control(\/|$)/;

/**
 * Express's router finds the route; everything else is ours, in order (B116): 401, 404 (route), 405,
 * 501, 415, 413, 400, then the handler. The router stands alone, because an Express application gives every
 * request and response another prototype, which costs more than all its routing; and it comes from its own package,
 * because Express's brings forty others, which cost every start 60 ms (docs/discoveries/performance.md).
 */
export function createApp(options: AppOptions): App {
  const router = Router({ caseSensitive: true, strict: true });
  const paths = byPath(options.endpoints);
  const register = (open: boolean) => {
    for (const [path, methods] of paths) {
      if ((methods[0]?.guard === 'open') !== open) continue;
      router.all(path.replaceAll(/\{(\w+)\}/g, ':$1'), (request, response) =>
        perform(methods, request as Request, response as Answering, options),
      );
    }
  };
  register(true);
  router.use((request, response, next) =>
    guard(request as Request, response as Answering, options).then(() => next()),
  );
  register(false);
  return (request, response, exchange) => {
    const locals: Locals = { exchange };
    Object.assign(response, { locals });
    router(request, response, (error: unknown) =>
      exchange.fail(error === undefined ? new ApiError('routeNotFound') : asBadRequest(error)),
    );
  };
}

/** Endpoints of one path together; literal segments before parameters, so that `/a/b` is not taken for `/a/{id}`. */
function byPath(endpoints: readonly AnyEndpoint[]): [string, AnyEndpoint[]][] {
  const paths = new Map<string, AnyEndpoint[]>();
  for (const endpoint of endpoints) {
    const inControl = controlPath.test(endpoint.path);
    if (endpoint.guard !== 'open' && inControl !== (endpoint.guard === 'control'))
      throw new Error(`${endpoint.path} has the wrong guard for its place`);
    paths.set(endpoint.path, [...(paths.get(endpoint.path) ?? []), endpoint]);
  }
  const rank = (path: string) => path.replaceAll(/\{\w+\}/g, '\u{ffff}');
  return [...paths].sort(([a], [b]) => (rank(a) < rank(b) ? -1 : 1));
}

async function guard(request: Request, { locals }: Answering, options: AppOptions): Promise<void> {
  const authorization = authorizationOf(request);
  if (controlPath.test(splitTarget(request.url)[0])) {
    const token = bearerToken(authorization);
    if (token === undefined || !sameSecret(token, options.controlToken))
      throw unauthorized('The control token is needed: Authorization: Bearer <control token>');
    locals.passed = 'control';
    locals.exchange.authenticated = true;
    return;
  }
  const caller = await options.authenticate(authorization);
  if (!caller) throw unauthorized();
  locals.exchange.authenticated = true;
  options.rateLimiter?.take(caller.tokenId);
  locals.passed = 'token';
  locals.caller = caller;
}

async function perform(
  endpoints: readonly AnyEndpoint[],
  request: Request,
  response: Answering,
  { journal, faults }: AppOptions,
): Promise<void> {
  const { exchange, caller, passed } = response.locals;
  // Also a method that is not there must not reveal a path that is a secret.
  if (endpoints.every(({ journaled }) => journaled === 'nothing')) exchange.journaled = 'nothing';
  const endpoint = forMethod(endpoints, request.method);
  assert(
    endpoint.guard === 'open' || endpoint.guard === passed,
    `${endpoint.path} was reached past its guard`,
  );
  exchange.journaled = endpoint.journaled ?? 'all';
  if (endpoint.sandboxOnly && caller?.environment === 'production') throw new ApiError('notImplemented');
  const received = await bodyOf(endpoint, request);
  const json = received?.json;
  exchange.received(received);
  if (faults && endpoint.guard !== 'control') {
    const { method, url: path } = request;
    exchange.fault = faults.take({ method, path, accountId: caller?.accountId });
    if (exchange.dropped()) return;
  }
  const parsed = validate(endpoint, request, request.params, splitTarget(request.url)[1], json);
  const unknown = unknownFields(json, parsed.body);
  if (unknown.length > 0 && exchange.journaled !== 'nothing')
    journal.add('request.unknownField', { requestId: exchange.requestId, paths: unknown }, exchange.about);
  if (reliesOnIdempotency(endpoint, request)) warnOfIdempotency(exchange, journal);
  const answer = await endpoint.handle({
    ...parsed,
    json,
    unknownFields: unknown,
    caller: caller as Caller, // on endpoints with a token's guard, which alone read it
    requestId: exchange.requestId,
    get signal() {
      return exchange.signal;
    },
    park: () => exchange.park(),
  });
  await exchange.answer(answer);
}

/** Only payment requests honour an Idempotency-Key; whoever sends one elsewhere seems to rely on it (B61). */
function reliesOnIdempotency({ guard, method, headers }: AnyEndpoint, request: Request): boolean {
  if (guard !== 'token' || method === 'get' || request.headers['idempotency-key'] === undefined) return false;
  return headers === undefined || !Object.hasOwn(headers.shape, 'idempotency-key');
}

function warnOfIdempotency({ requestId, method, path }: Exchange, journal: Journal): void {
  const message = `${requestId} ${method} ${path} came with an Idempotency-Key, which is not honoured here: repeating the request does it again`;
  journal.add('warning', { message });
}

function forMethod(endpoints: readonly AnyEndpoint[], method: string): AnyEndpoint {
  const wanted = method === 'HEAD' ? 'get' : method.toLowerCase();
  const found = endpoints.find((endpoint) => endpoint.method === wanted);
  if (found) return found;
  const allowed = endpoints.flatMap((endpoint) =>
    endpoint.method === 'get' ? ['GET', 'HEAD'] : [endpoint.method.toUpperCase()],
  );
  throw new ApiError('methodNotAllowed', { headers: { Allow: allowed.join(', ') } });
}

async function bodyOf(endpoint: AnyEndpoint, request: Request): Promise<ReceivedBody | undefined> {
  if (!endpoint.body) return undefined;
  if (!hasBody(request)) {
    if (endpoint.bodyOptional) return undefined;
    throw new ApiError('invalidRequest', { message: 'This request needs a body' });
  }
  const type = endpoint.bodyType ?? 'json';
  checkMediaType(request, type);
  const bytes = await readBody(request);
  if (type === 'json') return parseBody(bytes);
  const json = parseForm(bytes);
  return { json, text: JSON.stringify(json) };
}

/** The router's own complaint about a path it cannot decode is the client's fault, not ours. */
function asBadRequest(error: unknown): unknown {
  if (!(error instanceof URIError)) return error;
  return new ApiError('invalidRequest', { message: 'The path is badly percent-encoded' });
}
