import type { AnyEndpoint } from './endpoint.ts';

/** The endpoints of one resource. */
export type ResourceEndpoints = readonly AnyEndpoint[];
