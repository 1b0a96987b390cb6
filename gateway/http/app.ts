import type { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import type { Journal } from '../../shared/journal.ts';
import { memoize } from '../../shared/memoize.ts';
import { NodeRequest, NodeResponse } from '../../shared/node-http.ts';
import type { Faults } from '../faults/faults.ts';
import type { Dialect, ServedDialect } from './dialect.ts';
import type { AnyEndpoint } from './endpoint.ts';
import { endpointRouter, type OtherGateways } from './endpoint-router.ts';
import { ApiError } from './errors.ts';
import type { Exchange } from './exchange.ts';
import { type Authenticate, authorizationOf, bearerToken, sameSecret, unauthorized } from './guards.ts';
import { answerError, type Middleware } from './middleware.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { Resource } from './resource.ts';

export interface App {
  /** Passes a request to its endpoint and makes sure that it is answered. Its `url` must be a path. */
  handle(request: IncomingMessage, response: ServerResponse, exchange: Exchange): void;
  /** The classes from which the server makes requests and their responses. */
  readonly classes: { IncomingMessage: typeof IncomingMessage; ServerResponse: typeof ServerResponse };
}

interface AppOptions {
  resources: readonly Resource[];
  control?: () => Promise<readonly Resource[]>;
  authenticate: Authenticate;
  /** The token of the control API; without it there is no control API. */
  controlToken?: string;
  dialects?: readonly Dialect[];
  /** Whether a request may use the control API without its token, because it comes from a browser that signed in. */
  admits?: (request: IncomingMessage) => boolean;
  rateLimiter?: RateLimiter;
  journal: Journal;
  faults?: Faults;
  others?: OtherGateways;
}

/**
 * Makes an Express application. Its middleware, a router for each shape of paths, and one error handler follow the
 * order of B116: 401, 404 (route), then each endpoint's own checks. `former` is the application that this one replaces
 * at a server, which goes on making requests and responses from the former one's classes.
 */
export function createApp(options: AppOptions, former?: App): App {
  checkPlaces(options.resources);
  const app = express();
  // The exchange writes the whole answer, so Express must neither add to it nor take time for it.
  for (const setting of ['x-powered-by', 'etag', 'query parser', 'views']) app.disable(setting);
  for (const setting of ['case sensitive routing', 'strict routing']) app.enable(setting);
  app.set('env', 'production'); // no error shows its stack to clients, not even one of the error handler

  app.use(routers('open', options));
  const { controlToken } = options;
  if (controlToken !== undefined) app.use('/control', controlGuard({ ...options, controlToken }));
  app.use(controlRouters(options));
  for (const dialect of options.dialects ?? []) app.use(dialectRouters(dialect, options));
  app.use(tokenGuard(options));
  app.use(routers('token', options));
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
 * Express changes the prototype of each request and response to the application's, and that slows all that Node does
 * with the object. So the objects are made with that prototype.
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
 * Makes a router for the endpoints with this guard whose paths have one shape, at the first request for such a path. To
 * try one router after another costs a charge 5 µs; making a router for a path that is never called costs a start half
 * a millisecond.
 */
function routers(by: AnyEndpoint['guard'], options: AppOptions): (...handed: Parameters<Middleware>) => void {
  const endpoints = options.resources.flat().filter(({ guard }) => guard === by);
  const byShape = Map.groupBy(endpoints, ({ path }) => shapeOf(path));
  const routerFor = memoize((shape: string) => endpointRouter(byShape.get(shape) ?? [], options));
  return (request, response, next) => {
    const shape = shapeOf(request.path);
    if (byShape.has(shape)) routerFor(shape)(request, response, next);
    else next();
  };
}

/**
 * The kind of a path and the number of its segments: `terminals 2` for `/terminals/{id}`, `books 2` for
 * `/control/books`.
 */
function shapeOf(path: string): string {
  const segments = path.split('/').slice(1);
  return `${segments[segments[0] === 'control' ? 1 : 0]} ${segments.length}`;
}

/** Most routes are the control API's, which a point of sale never calls: they are loaded and made at the first call. */
function controlRouters(options: AppOptions): Middleware {
  const made = memoize(async () => {
    const resources = [...options.resources, ...((await options.control?.()) ?? [])];
    checkPlaces(resources);
    return routers('control', { ...options, resources });
  });
  return (request, response, next) => {
    if (response.locals.passed !== 'control') return next();
    return made().then((routers) => routers(request, response, next));
  };
}

/** Routes for another API beside the gateway's own; even its errors have that API's form. */
function dialectRouters({ has, open, whenOff }: Dialect, options: AppOptions): Middleware {
  const opened = async (): Promise<ServedDialect> => {
    if (!open) throw new ApiError('routeNotFound', { message: whenOff });
    return open();
  };
  const made = memoize(async () => {
    const { resources, ...served } = await opened();
    checkPlaces([...options.resources, ...resources]);
    const { tokenHeader } = served;
    const guard =
      tokenHeader === undefined
        ? bodySaysWhose
        : tokenGuard(options, (request) => bearerOf(request.headers[tokenHeader]));
    return { ...served, guard, routers: routers('token', { ...options, resources }) };
  });
  return async (request, response, next) => {
    if (!has(request.path)) return next();
    const { errorForm, guard, routers } = await made();
    response.locals.exchange.form = errorForm;
    await guard(request, response, (error) => {
      if (error !== undefined) return next(error);
      routers(request, response, () => next(new ApiError('routeNotFound')));
    });
  };
}

/** Lets a request pass without a token: its endpoint opens the body, which names the caller. */
const bodySaysWhose: Middleware = (_, { locals }, next) => {
  locals.passed = 'token';
  next();
};

/** Reads a token that is the whole value of its header, and gives it in the form that {@link Authenticate} takes. */
function bearerOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? `Bearer ${header}` : undefined;
}

/**
 * Checks that each path belongs to one resource only, because the resource's place determines the guard of the path.
 */
function checkPlaces(resources: readonly Resource[]): void {
  const owners = new Map<string, Resource>();
  for (const resource of resources) {
    for (const { path, guard } of resource) {
      const inControl = /^\/control(\/|$)/.test(path);
      if (guard !== 'open' && inControl !== (guard === 'control'))
        throw new Error(`${path} has the wrong guard for its place`);
      if ((owners.get(path) ?? resource) !== resource) throw new Error(`${path} is in two resources`);
      owners.set(path, resource);
    }
  }
}

function controlGuard({ controlToken, admits }: AppOptions & { controlToken: string }): Middleware {
  return (request, response, next) => {
    const { locals } = response;
    const token = bearerToken(authorizationOf(request));
    const isIn = token === undefined ? admits?.(request) : sameSecret(token, controlToken);
    if (!isIn) throw unauthorized('The control token is needed: Authorization: Bearer <control token>');
    // Without this header a browser would keep the answer on its disk, with the secrets of webhooks.
    response.setHeader('Cache-Control', 'no-store');
    locals.passed = 'control';
    locals.exchange.authenticated = true;
    locals.fromConsole = token === undefined;
    next();
  };
}

function tokenGuard({ authenticate, rateLimiter }: AppOptions, tokenIn = authorizationOf): Middleware {
  return async (request, { locals }, next) => {
    if (locals.passed === 'control') return next();
    const caller = await authenticate(tokenIn(request));
    if (!caller) throw unauthorized();
    locals.exchange.authenticated = true;
    locals.exchange.accountId = caller.accountId;
    if (rateLimiter) await rateLimiter.take(caller.tokenId);
    locals.passed = 'token';
    locals.caller = caller;
    next();
  };
}
