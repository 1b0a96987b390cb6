import { StartError } from './start-error.ts';

/** Makes the error that says that the program at an address is not a pinpad gateway. */
export function makeNotAGatewayError(url: string): StartError {
  const { origin } = new URL(url);
  return new StartError(`the server at ${origin} is not a pinpad gateway: check the address and its port`);
}

/**
 * Sends a request to a gateway.
 *
 * @throws StartError if a program other than a gateway answered. An answer counts as a gateway's answer if it has a
 * Request-Id (B117) and is JSON or a live stream. Answers with a status of 500 or more are not checked, because a proxy
 * in front of the gateway may have sent them.
 */
export async function fetchFromGateway(request: Request): Promise<Response> {
  const response = await fetch(request);
  if (response.status >= 500 || isGateways(response)) return response;
  await response.body?.cancel();
  throw makeNotAGatewayError(request.url);
}

function isGateways({ status, headers }: Response): boolean {
  const type = headers.get('content-type') ?? '';
  return (
    headers.has('request-id') && (status === 204 || /^(application\/json|text\/event-stream)\b/.test(type))
  );
}
