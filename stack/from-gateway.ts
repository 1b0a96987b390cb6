import { StartError } from './start-error.ts';

/**
 * Sends a request to a gateway.
 *
 * @throws StartError where something else took it: every answer of a gateway has a Request-Id (B117)
 */
export async function fromGateway(request: Request): Promise<Response> {
  const response = await fetch(request);
  if (!response.ok || response.headers.has('request-id')) return response;
  await response.body?.cancel();
  const { origin } = new URL(request.url);
  throw new StartError(`what answers at ${origin} is no gateway of pinpad: check the address and its port`);
}
