import type { AnyEndpoint } from '../../gateway/http/endpoint.ts';
import { makeOpenapiDocument } from '../../gateway/http/openapi.ts';
import {
  type ConformanceCheck,
  type Exchange,
  makeConformanceCheck,
  type OpenapiDocument,
} from './conformance.ts';

/**
 * Maps a list of endpoints, written as text, to the compiled document. Most gateways have the same endpoints, so they
 * share one document.
 */
const known = new Map<string, ConformanceCheck>();
/**
 * Maps a gateway's list of endpoints, as an object, to the same compiled document as `known`. A search in this map is
 * quicker than a search in `known`, because writing the list as text takes longer than most checks.
 */
const ofList = new WeakMap<readonly AnyEndpoint[], ConformanceCheck>();

/**
 * Returns everything in an exchange that differs from the document of these endpoints. This document is made in the
 * same way as the one that a gateway serves.
 */
export function findConformanceFaults(exchange: Exchange, endpoints: readonly AnyEndpoint[]): string[] {
  let conforms = ofList.get(endpoints);
  if (!conforms) {
    conforms = conformanceTo(endpoints);
    ofList.set(endpoints, conforms);
  }
  return conforms(exchange);
}

function conformanceTo(endpoints: readonly AnyEndpoint[]): ConformanceCheck {
  const key = endpoints.map(({ method, path, operationId }) => `${method} ${path} ${operationId}`).join();
  let conforms = known.get(key);
  if (!conforms) {
    const document = makeOpenapiDocument(endpoints, { title: '', version: '', description: '', tags: [] });
    const hidden = endpoints.filter(({ documented }) => documented === false).map(({ path }) => path);
    conforms = makeConformanceCheck(document as unknown as OpenapiDocument, hidden);
    known.set(key, conforms);
  }
  return conforms;
}
