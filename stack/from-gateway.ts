import { StartError } from './start-error.ts';

/** Said where another program has the address that a gateway was looked for at. */
export function noGateway(url: string): StartError {
  const { origin } = new URL(url);
  return new StartError(`the server at ${origin} is not a pinpad gateway: check the address and its port`);
}

/**
 * Sends a request to a gateway.
 *
 * @throws StartError where something else took it: every answer of a gateway has a Request-Id (B117) and is JSON or a live
 * stream. A proxy in front of one may say by itself that it cannot be reached.
 */
export async function fromGateway(request: Request): Promise<Response> {
  const response = await fetch(request);
  if (response.status >= 500 || isGateways(response)) return response;
  await response.body?.cancel();
  throw noGateway(request.url);
}

function isGateways({ status, headers }: Response): boolean {
  const type = headers.get('content-type') ?? '';
  return (
    headers.has('request-id') && (status === 204 || /^(application\/json|text\/event-stream)\b/.test(type))
  );
}
