import type { RequestTimeEffect } from '../../shared/skipping/activity.ts';
import type { AnyEndpoint } from './endpoint.ts';

/**
 * The paths of health checks, documentation, streams and the console. Requests to these paths only observe, so virtual
 * time does not wait for them.
 */
const watching = /^\/(health|docs|openapi\.json|console|control\/console)(\/|$)|\/stream$/;

/** Gives the effect of a request on virtual time that moves by itself (B271). */
export function virtualTimeActivityOf(
  { method, path, guard }: AnyEndpoint,
  fromConsole: boolean,
): RequestTimeEffect {
  if (fromConsole || watching.test(path)) return 'unseen';
  if (method !== 'get') return 'acts';
  return guard === 'control' ? 'looks' : 'reads';
}
