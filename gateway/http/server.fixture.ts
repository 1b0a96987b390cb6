import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { createRuntime, type RuntimeOptions } from '../../shared/create-runtime.ts';
import { Faults } from '../faults/faults.ts';
import { type AnyEndpoint, type CheckedRequest, defineEndpoint } from './endpoint.ts';
import { HttpServer, type HttpServerOptions } from './server.ts';
import { makeWholeNumberSchema } from './whole-number.ts';

export const exampleUuid = '0191d8f0-0000-7000-8000-000000000001';
const callers = {
  'Bearer sandbox-token': { tokenId: 't1', accountId: 'a', environment: 'sandbox' },
  'Bearer production-token': { tokenId: 't2', accountId: 'a', environment: 'production' },
} as const;

type AnyCall = CheckedRequest<unknown, unknown, unknown, unknown>;
const anything = { description: 'd', schema: z.unknown() };
/** The parts that every description of an endpoint must have. Their values do not matter in these tests. */
export const commonEndpointParts = {
  tag: 'Things',
  summary: 's',
  operationId: 'o',
  responses: { 200: anything, 201: anything, 303: anything },
};

/** Opens a server with one endpoint for each guard. It is closed after the test. */
export async function openTestServer(
  more: {
    endpoints?: AnyEndpoint[];
    runtime?: RuntimeOptions;
    rateLimit?: HttpServerOptions['rateLimit'];
  } = {},
) {
  const runtime = createRuntime({ seed: 1, ...more.runtime });
  const calls: AnyCall[] = [];
  const faults = new Faults(runtime.identifiers);
  const thing = defineEndpoint({
    ...commonEndpointParts,
    route: 'POST /things/{thingId}',
    guard: 'token',
    sandboxOnly: true,
    params: z.object({ thingId: z.uuid() }),
    query: z.object({ limit: makeWholeNumberSchema(1).optional() }),
    headers: z.object({ 'idempotency-key': z.string().max(5).optional() }),
    body: z.object({
      amount: z.number(),
      tip: z.object({ percent: z.number() }).optional(),
      tags: z.array(z.string()).optional(),
    }),
    handle: async (call) => {
      calls.push(call as unknown as AnyCall);
      return { status: 201, body: { got: call.body, caller: call.caller.tokenId } };
    },
  });
  const opened = defineEndpoint({
    ...commonEndpointParts,
    route: 'GET /open',
    guard: 'open',
    handle: async () => ({ status: 200, text: '{"prepared":true}' }),
  });
  const control = defineEndpoint({
    ...commonEndpointParts,
    route: 'GET /control/things',
    guard: 'control',
    handle: async () => ({ status: 200, body: [] }),
  });
  const server = new HttpServer(
    {
      resources: [[thing, opened, control], more.endpoints ?? []],
      authenticate: async (header) => callers[header as keyof typeof callers],
      controlToken: 'the-control-token',
      rateLimit: more.rateLimit,
      faults,
    },
    runtime,
  );
  onTestFinished(() => server.close());
  const { url, port } = await server.listen('127.0.0.1', 0);
  const send = (path: string, init: RequestInit & { token?: string } = {}) =>
    fetch(url + path, {
      ...init,
      headers: { Authorization: `Bearer ${init.token ?? 'sandbox-token'}`, ...init.headers },
    });
  const post = (
    body: string | Uint8Array,
    headers: Record<string, string> = {},
    path = `/things/${exampleUuid}`,
  ) =>
    send(path, {
      method: 'POST',
      body: body as string,
      headers: { 'Content-Type': 'application/json', ...headers },
    });
  const journal = (kind: string) => runtime.journal.since().filter((entry) => entry.kind === kind);
  return { runtime, server, faults, calls, url, port, send, post, journal };
}

/** Sends bytes over a plain socket. Gives everything that the server sends until it closes the connection. */
export function sendRawText(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.on('data', (data) => {
      answer += data;
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}
