import { z } from 'zod';
import { memoize } from '../shared/memoize.ts';
import { type AnyEndpoint, endpoint } from './http/endpoint.ts';

const anyDocument = z.record(z.string(), z.unknown());

/** Makes the endpoint of the OpenAPI document. The document is made only once, at the first request. */
export function openapiEndpoint(make: () => Promise<object>): AnyEndpoint {
  const served = memoize(async () => JSON.stringify(await make()));
  return endpoint({
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
