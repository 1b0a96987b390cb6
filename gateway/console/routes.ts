import { z } from 'zod';
import { isoTime } from '../../shared/clock.ts';
import { requireTerminal } from '../control/terminal-params.ts';
import { type AnyEndpoint, defineEndpoint, describeResponse } from '../http/endpoint.ts';
import { ApiError } from '../http/errors.ts';
import { makeUnauthorizedError } from '../http/guards.ts';
import { parkCallDuring } from '../http/parked.ts';
import { makeWholeNumberSchema } from '../http/whole-number.ts';
import type { Services } from '../services.ts';
import { makeConsoleLink, requireConsole } from './console.ts';
import { explorationEndpoints } from './exploration-endpoints.ts';
import { makeConsoleStreamAnswer } from './live-view.ts';
import { scenarioEndpoints } from './scenario-endpoints.ts';

const open = { tag: 'Console', guard: 'open', documented: false, journaled: 'nothing' } as const;
const control = { tag: 'Console', guard: 'control', documented: false } as const;

const pageHeaders = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
};

const browserHeaders = z.object({
  host: z.string().optional(),
  origin: z.string().optional(),
  cookie: z.string().optional(),
  'sec-fetch-site': z.string().optional(),
});

const liveQuery = z.object({
  run: z.string().max(64).optional(),
  since: makeWholeNumberSchema(0).default(0),
});
const saleBody = z.object({
  terminal: z.string(),
  amount: z.number().positive(),
  tip: z.boolean().default(false),
});
const swipeBody = z.object({ terminal: z.string(), tracks: z.string().max(2_000) });
const linkMade = z
  .object({ url: z.url(), expiresAt: z.iso.datetime() })
  .meta({ id: 'ConsoleLink', description: 'A link with which a browser can sign in once' });
const signInBody = z.object({ code: z.string().max(100) });
const rootHeaders = z.object({ accept: z.string().optional() });
const fileParams = z.object({ file: z.string().max(100) });

type ConsoleServices = Pick<
  Services,
  'runtime' | 'journal' | 'address' | 'terminals' | 'emulators' | 'console'
>;

/** Serves the console in the browser: its page, the sign-in, and the endpoints that only this page calls. */
export function consoleEndpoints(services: ConsoleServices): AnyEndpoint[] {
  return [
    rootEndpoint(services),
    ...pageEndpoints(services),
    ...signInEndpoints(services),
    ...pageOnlyEndpoints(services),
    ...scenarioEndpoints(services),
    ...explorationEndpoints(services),
  ];
}

function rootEndpoint(services: ConsoleServices): AnyEndpoint {
  return defineEndpoint({
    ...open,
    route: 'GET /',
    operationId: 'getRoot',
    summary: 'Redirect browsers to the console',
    headers: rootHeaders,
    responses: { 303: { description: 'The console' } },
    handle: async ({ headers }) => {
      if (!services.console || !headers.accept?.includes('text/html')) throw makeUnauthorizedError();
      return { status: 303, headers: { Location: '/console' } };
    },
  });
}

function pageEndpoints(services: ConsoleServices): AnyEndpoint[] {
  const file = async (name: string) => {
    const found = await requireConsole(services).parts.file(name);
    if (!found) throw new ApiError('notFound');
    const headers = { ...pageHeaders, 'Content-Type': `${found.type}; charset=utf-8` };
    return { status: 200, text: found.text, headers };
  };
  return [
    defineEndpoint({
      ...open,
      route: 'GET /console',
      operationId: 'getConsole',
      summary: 'The console',
      responses: { 200: { description: 'A page' } },
      handle: () => file('index.html'),
    }),
    defineEndpoint({
      ...open,
      route: 'GET /console/{file}',
      operationId: 'getConsoleFile',
      summary: 'Get a file that the page of the console loads',
      params: fileParams,
      responses: { 200: { description: 'A file' } },
      handle: ({ params }) => file(params.file),
    }),
  ];
}

function signInEndpoints(services: ConsoleServices): AnyEndpoint[] {
  const port = () => new URL(services.address.url).port;
  return [
    defineEndpoint({
      ...open,
      route: 'POST /console/sign-in',
      operationId: 'signInToConsole',
      summary: 'Exchange the code of a link for the cookie of a session',
      headers: browserHeaders,
      body: signInBody,
      responses: { 204: { description: 'Signed in' } },
      handle: async ({ headers, body }) => {
        const { access } = requireConsole(services);
        const request = { headers, method: 'POST' };
        const session = access.isOwnPage(request) ? await access.signIn(body.code) : undefined;
        if (session === undefined)
          throw makeUnauthorizedError(
            'The sign-in link was used before or has expired: get a new one with `pinpad console`',
          );
        return { status: 204, headers: { 'Set-Cookie': access.setCookie(session, request, port()) } };
      },
    }),
    defineEndpoint({
      ...control,
      route: 'POST /control/console/sign-out',
      operationId: 'signOutOfConsole',
      summary: 'End the session of a browser',
      headers: browserHeaders,
      journaled: 'nothing',
      responses: { 204: { description: 'Signed out' } },
      handle: async ({ headers }) => {
        const { access } = requireConsole(services);
        await access.signOut({ headers, method: 'POST' });
        return { status: 204, headers: { 'Set-Cookie': access.clearCookie(port()) } };
      },
    }),
    defineEndpoint({
      ...control,
      route: 'POST /control/console-links', // B161, B293
      operationId: 'controlCreateConsoleLink',
      tag: 'Control: overview',
      documented: true,
      summary: 'Get a link with which a browser signs in to the console',
      description:
        'The link works once, and expires after a quarter of an hour. A browser that has signed in can make all calls that the control token allows, except calls that stop the whole gateway.',
      journaled: 'withoutBodies',
      responses: {
        201: describeResponse('The link', linkMade, {
          one: {
            url: 'http://127.0.0.1:8080/console#sign-in=hcBXQxhVKV8GL4x-JvzdrB',
            expiresAt: '2026-01-01T09:15:00.000Z',
          },
        }),
      },
      errors: ['conflict'],
      gives: async () => {
        if (!services.console)
          throw new ApiError('conflict', { message: 'This gateway serves no console: see docs/console.md' });
        const { url, until } = makeConsoleLink(services.console, services.address.url);
        return { url, expiresAt: isoTime(until) };
      },
    }),
  ];
}

/** Makes the endpoints that only the console's page calls. */
function pageOnlyEndpoints(services: ConsoleServices): AnyEndpoint[] {
  const { runtime, journal, emulators, terminals } = services;
  return [
    defineEndpoint({
      ...control,
      route: 'GET /control/console/live',
      operationId: 'streamToConsole',
      summary: 'Stream journal entries and changes to a page of the console',
      journaled: 'nothing',
      query: liveQuery,
      responses: { 200: { description: 'The stream', contentType: 'text/event-stream' } },
      handle: async (call) =>
        makeConsoleStreamAnswer(
          { runtime, journal, emulators, run: requireConsole(services).run },
          call.query,
          call,
        ),
    }),
    defineEndpoint({
      ...control,
      route: 'GET /control/console/offers',
      operationId: 'getConsoleOffers',
      summary: 'List what this console can do beyond the control API',
      journaled: 'nothing',
      responses: { 200: { description: 'By name' } },
      handle: async () => {
        const { parts } = requireConsole(services);
        return {
          status: 200,
          body: {
            sell: parts.sell !== undefined,
            findings: parts.findings !== undefined,
            record: parts.record !== undefined,
            scenarios: parts.scenarios !== undefined,
            explorations: parts.explorations !== undefined,
            steps: parts.stepOf !== undefined,
            wedge: parts.wedge?.()?.settings ?? null,
          },
        };
      },
    }),
    defineEndpoint({
      ...control,
      route: 'GET /control/console/findings',
      operationId: 'lintInConsole',
      summary: 'List the mistakes of the point of sale that were found so far',
      journaled: 'nothing',
      responses: { 200: { description: 'Findings' } },
      gives: async () => {
        await journal.complete();
        const findings = await requireConsole(services).parts.findings?.(journal.since());
        return findings ?? [];
      },
    }),
    defineEndpoint({
      ...control,
      route: 'POST /control/console/sales',
      operationId: 'sellInConsole',
      summary: 'Ring up a sale, as a point of sale would',
      journaled: 'nothing',
      body: saleBody,
      responses: { 200: { description: 'How it ended' } },
      gives: (call) => {
        const { terminal, amount, tip } = call.body;
        const { poiId } = requireTerminal(terminals, terminal);
        const sell = requireConsole(services).parts.sell;
        if (!sell) throw new ApiError('conflict', { message: 'Sales cannot be rung up at this gateway' });
        return parkCallDuring(call, () => sell({ poiId, amount, tip }));
      },
    }),
    defineEndpoint({
      ...control,
      route: 'POST /control/console/swipes',
      operationId: 'swipeInConsole',
      summary: 'Swipe a card, using the text that a keyboard-wedge reader typed',
      journaled: 'nothing', // the body has the tracks of a card
      body: swipeBody,
      responses: { 200: { description: 'The text to show the user' } },
      gives: async ({ body }) => {
        const { poiId } = requireTerminal(terminals, body.terminal);
        const wedge = requireConsole(services).parts.wedge?.();
        if (!wedge)
          throw new ApiError('conflict', {
            message: 'Keyboard readers are switched off: start with --wedge on',
          });
        return { problem: wedge.swipe(poiId, body.tracks) ?? null };
      },
    }),
  ];
}
