import type { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import type { Journal } from '../../shared/journal.ts';
import { memoize } from '../../shared/memoize.ts';
import { NodeRequest, NodeResponse } from '../../shared/node-http.ts';
import type { Faults } from '../faults/faults.ts';
import type { LazyDialect, LoadedDialect } from './dialect.ts';
import type { AnyEndpoint } from './endpoint.ts';
import { makeEndpointRouter, type OtherGatewayChangeReader } from './endpoint-router.ts';
import { ApiError } from './errors.ts';
import type { Exchange } from './exchange.ts';
import {
  type Authenticate,
  isSameSecret,
  makeUnauthorizedError,
  parseBearerToken,
  readAuthorizationHeader,
} from './guards.ts';
import { answerError, type Middleware } from './middleware.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { ResourceEndpoints } from './resource.ts';

export interface App {
  /**
   * Passes a request to its endpoint, and makes sure that the request is answered. The request's `url` must be a path.
   */
  handle(request: IncomingMessage, response: ServerResponse, exchange: Exchange): void;
  /** The classes from which the server makes its request and response objects. */
  readonly classes: { IncomingMessage: typeof IncomingMessage; ServerResponse: typeof ServerResponse };
}

interface AppOptions {
  resources: readonly ResourceEndpoints[];
  control?: () => Promise<readonly ResourceEndpoints[]>;
  authenticate: Authenticate;
  /** The token of the control API. If it is absent, there is no control API. */
  controlToken?: string;
  dialects?: readonly LazyDialect[];
  /**
   * Returns whether a request may use the control API without the control token, because the user's browser has signed
   * in to the console.
   */
  admits?: (request: IncomingMessage) => boolean;
  rateLimiter?: RateLimiter;
  journal: Journal;
  faults?: Faults;
  others?: OtherGatewayChangeReader;
}

/**
 * Makes an Express application. Requests are checked in the order of B116: 401, 404 (route), then the checks of the
 * endpoint. `former` is the application that a server has used so far. The new application takes over the classes of
 * the former one.
 */
export function createApp(options: AppOptions, former?: App): App {
  checkPaths(options.resources);
  const app = express();
  // The class `Exchange` writes the whole answer, so Express must add nothing to the answer and spend no time on it.
  for (const setting of ['x-powered-by', 'etag', 'query parser', 'views']) app.disable(setting);
  for (const setting of ['case sensitive routing', 'strict routing']) app.enable(setting);
  app.set('env', 'production'); // no error shows its stack to clients, not even an error in the error handler

  app.use(routersFor('open', options));
  const { controlToken } = options;
  if (controlToken !== undefined) app.use('/control', controlGuard({ ...options, controlToken }));
  app.use(controlRouters(options));
  for (const dialect of options.dialects ?? []) app.use(dialectRouters(dialect, options));
  app.use(tokenGuard(options));
  app.use(routersFor('token', options));
  app.use(() => {
    throw new ApiError('routeNotFound');
  });
  app.use(answerError);
  return {
    handle(request, response, exchange) {
      Object.assign(response, { locals: { exchange } });
      app(request, response);
    },
    classes: classesFor(app, former),
  };
}

/**
 * Express gives each request and response a prototype that belongs to the application. A later change of an object's
 * prototype would slow down everything that Node does with the object. So each object gets this prototype when it is
 * made.
 */
function classesFor(app: express.Express, former?: App): App['classes'] {
  const classes = former?.classes ?? newClasses();
  Object.setPrototypeOf(classes.IncomingMessage.prototype, app.request);
  Object.setPrototypeOf(classes.ServerResponse.prototype, app.response);
  Object.assign(app, {
    request: classes.IncomingMessage.prototype,
    response: classes.ServerResponse.prototype,
  });
  return classes;
}

function newClasses(): App['classes'] {
  class AppRequest extends NodeRequest {}
  class AppResponse<Request extends IncomingMessage> extends NodeResponse<Request> {}
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

/**
 * Takes the endpoints whose guard is `by`, and makes one router for each shape of path. So a request passes through
 * only one router. If a charge request had to try several routers, the request would take 5 µs longer. A router is made
 * at the first request for its shape. If routers that are never used were made at the start, the start would take half
 * a millisecond longer.
 */
function routersFor(
  by: AnyEndpoint['guard'],
  options: AppOptions,
): (...args: Parameters<Middleware>) => void {
  const endpoints = options.resources.flat().filter(({ guard }) => guard === by);
  const byShape = Map.groupBy(endpoints, ({ path }) => shapeOf(path));
  const routerFor = memoize((shape: string) => makeEndpointRouter(byShape.get(shape) ?? [], options));
  return (request, response, next) => {
    const shape = shapeOf(request.path);
    if (byShape.has(shape)) routerFor(shape)(request, response, next);
    else next();
  };
}

/**
 * Gives the shape of a path: the first segment of the path and the number of segments. For example, `/terminals/{id}`
 * gives `terminals 2`. A segment `control` at the beginning is not the first segment: `/control/books` gives
 * `books 2`.
 */
function shapeOf(path: string): string {
  const segments = path.split('/').slice(1);
  return `${segments[segments[0] === 'control' ? 1 : 0]} ${segments.length}`;
}

/**
 * Makes the routers of the control API. That API has the most routes, and a POS never calls it. So its routes are
 * loaded and made at the first call.
 */
function controlRouters(options: AppOptions): Middleware {
  const loaded = memoize(async () => {
    const resources = [...options.resources, ...((await options.control?.()) ?? [])];
    checkPaths(resources);
    return routersFor('control', { ...options, resources });
  });
  return (request, response, next) => {
    if (response.locals.passed !== 'control') return next();
    return loaded().then((routers) => routers(request, response, next));
  };
}

/** Makes the routers of another vendor's API. These routers also write errors in the form of that API. */
function dialectRouters({ has, open, whenOff }: LazyDialect, options: AppOptions): Middleware {
  const opened = async (): Promise<LoadedDialect> => {
    if (!open) throw new ApiError('routeNotFound', { message: whenOff });
    return open();
  };
  const loaded = memoize(async () => {
    const { resources, ...served } = await opened();
    checkPaths([...options.resources, ...resources]);
    const { tokenHeader } = served;
    const guard =
      tokenHeader === undefined
        ? passWithoutToken
        : tokenGuard(options, (request) => asBearer(request.headers[tokenHeader]));
    return { ...served, guard, routers: routersFor('token', { ...options, resources }) };
  });
  return async (request, response, next) => {
    if (!has(request.path)) return next();
    const { errorForm, guard, routers } = await loaded();
    response.locals.exchange.errorForm = errorForm;
    await guard(request, response, (error) => {
      if (error !== undefined) return next(error);
      routers(request, response, () => next(new ApiError('routeNotFound')));
    });
  };
}

/** Lets a request pass without a token. Its endpoint decrypts the body, and the body names the caller. */
const passWithoutToken: Middleware = (_, { locals }, next) => {
  locals.passed = 'token';
  next();
};

/**
 * Reads a token from a header that has no other text than the token. Gives the token in the form that
 * {@link Authenticate} takes.
 */
function asBearer(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? `Bearer ${header}` : undefined;
}

/**
 * Checks that each path belongs to only one resource, and that the guard of each endpoint fits the endpoint's path.
 * Only paths under `/control` may have the guard `control`. These paths must not have the guard `token`.
 */
function checkPaths(resources: readonly ResourceEndpoints[]): void {
  const owners = new Map<string, ResourceEndpoints>();
  for (const resource of resources) {
    for (const { path, guard } of resource) {
      const inControl = /^\/control(\/|$)/.test(path);
      if (guard !== 'open' && inControl !== (guard === 'control'))
        throw new Error(
          `${path} must have the guard "control" if it begins with /control, and otherwise must not have this guard`,
        );
      if ((owners.get(path) ?? resource) !== resource)
        throw new Error(`${path} must not be in two resources`);
      owners.set(path, resource);
    }
  }
}

function controlGuard({ controlToken, admits }: AppOptions & { controlToken: string }): Middleware {
  return (request, response, next) => {
    const { locals } = response;
    const token = parseBearerToken(readAuthorizationHeader(request));
    const isIn = token === undefined ? admits?.(request) : isSameSecret(token, controlToken);
    if (!isIn)
      throw makeUnauthorizedError('The control token is needed: Authorization: Bearer <control token>');
    // Without this header a browser would keep the answer on its disk, and the answer may contain secrets of webhooks.
    response.setHeader('Cache-Control', 'no-store');
    locals.passed = 'control';
    locals.exchange.authenticated = true;
    locals.fromConsole = token === undefined;
    next();
  };
}

function tokenGuard(
  { authenticate, rateLimiter }: AppOptions,
  tokenIn = readAuthorizationHeader,
): Middleware {
  return async (request, { locals }, next) => {
    if (locals.passed === 'control') return next();
    const caller = await authenticate(tokenIn(request));
    if (!caller) throw makeUnauthorizedError();
    locals.exchange.authenticated = true;
    locals.exchange.accountId = caller.accountId;
    if (rateLimiter) await rateLimiter.take(caller.tokenId);
    locals.passed = 'token';
    locals.caller = caller;
    next();
  };
}
