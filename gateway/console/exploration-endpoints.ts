import { z } from 'zod';
import { type AnyEndpoint, makeEndpointDefiner } from '../http/endpoint.ts';
import { ApiError } from '../http/errors.ts';
import type { Services } from '../services.ts';
import { requireConsole } from './console.ts';

const endpoint = makeEndpointDefiner({
  tag: 'Console',
  guard: 'control',
  documented: false,
  journaled: 'nothing',
});
const fileParams = z.object({ file: z.string().max(200) });

const commonHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
};
/** The content policy for an exploration's page. The page runs no script, and the console shows it in a frame. */
const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'";
/**
 * The content policy for a trace. A trace runs a script of its own. The folder of traces may contain any script, so the
 * policy prevents scripts from using the console's cookie.
 */
const tracePolicy = "sandbox allow-scripts; frame-ancestors 'none'";

/**
 * Serves the last exploration of a POS on this machine (docs/explore.md), and the traces of the exploration's runs
 * (B336).
 */
export function explorationEndpoints(services: Pick<Services, 'console'>): AnyEndpoint[] {
  const explorations = () => requireConsole(services).parts.explorations;
  return [
    endpoint({
      route: 'GET /control/console/explorations',
      operationId: 'getConsoleExplorations',
      summary: 'Get the time when a point of sale was last explored here',
      responses: { 200: { description: 'The time, or null if there was no exploration' } },
      gives: () => ({ exploredAt: explorations()?.exploredAt() ?? null }),
    }),
    endpoint({
      route: 'GET /control/console/explorations/{file}',
      operationId: 'getConsoleExploration',
      summary: 'Get the page of the last exploration, or the trace of one of its runs',
      params: fileParams,
      responses: { 200: { description: 'A page' } },
      handle: async ({ params: { file } }) => {
        const text = explorations()?.page(file);
        if (text === undefined)
          throw new ApiError('notFound', { message: `There is no page ${file} of an exploration` });
        const policy = file === 'index.html' ? pagePolicy : tracePolicy;
        return { status: 200, text, headers: { ...commonHeaders, 'Content-Security-Policy': policy } };
      },
    }),
  ];
}
