import { z } from 'zod';
import { memoize } from '../shared/memoize.ts';
import { type AnyEndpoint, defineEndpoint } from './http/endpoint.ts';

const anyDocument = z.record(z.string(), z.unknown());

/** Makes the endpoint of the OpenAPI document. The document is made only once, at the first request. */
export function makeOpenapiEndpoint(make: () => Promise<object>): AnyEndpoint {
  const served = memoize(async () => JSON.stringify(await make()));
  return defineEndpoint({
    route: 'GET /openapi.json',
    operationId: 'getOpenapi',
    tag: 'Description',
    guard: 'open',
    summary: 'This document',
    journaled: 'nothing',
    responses: {
      200: { description: 'OpenAPI 3.1', schema: anyDocument },
    },
    handle: async () => ({ status: 200, text: await served() }),
  });
}
