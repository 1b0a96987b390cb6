import { type IncomingMessage, type RequestOptions, request, type ServerResponse } from 'node:http';
import { request as requestTls } from 'node:https';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';

/** The destination of a request that is passed on. */
interface Onward {
  readonly url: URL;
  /** The path of the request, with its query. */
  readonly path: string;
  /** An agent, or a function that opens the connection. */
  readonly by: Pick<RequestOptions, 'agent' | 'createConnection'>;
}

/** Callbacks for the progress of a request that is passed on. */
interface Outcome {
  readonly connected?: (socket: Socket) => void;
  readonly answered?: (status: number) => void;
  /** Called if no answer came. In this case, nothing has been sent to the caller. */
  readonly failed: (error: NodeJS.ErrnoException) => void;
}

/**
 * The headers that are not passed on, because they concern only one connection (RFC 9110 §7.6.1). `Expect` is not
 * passed on either, because this server has already answered it.
 */
const ofOneConnection = new Set(
  'connection,keep-alive,proxy-authenticate,proxy-authorization,proxy-connection,te,trailer,upgrade,expect'.split(
    ',',
  ),
);

/**
 * Passes a request on to `url`. The bytes of the answer are passed back as they arrive, because an answer may begin
 * long before it ends.
 */
export function forwardRequest(
  incoming: IncomingMessage,
  response: ServerResponse,
  { url, path, by }: Onward,
  outcome: Outcome,
): void {
  const headers = ['Host', url.host, ...passedOn(incoming, ['host'])];
  const outgoing = (url.protocol === 'https:' ? requestTls : request)(url, {
    ...by,
    ...{ method: incoming.method, path, headers },
  });
  let answered = false;
  outgoing.on('socket', (socket) => outcome.connected?.(socket));
  outgoing.on('error', (error) => {
    if (!answered) outcome.failed(error);
  });
  outgoing.on('response', (answer) => {
    answered = true;
    outcome.answered?.(answer.statusCode as number);
    passBack(answer, response);
  });
  // If the caller hangs up, the connection to the gateway is ended too.
  response.on('close', () => response.writableFinished || outgoing.destroy());
  incoming.pipe(outgoing);
}

function passBack(answer: IncomingMessage, response: ServerResponse): void {
  response.sendDate = false;
  if (answer.headers.connection?.toLowerCase() === 'close') response.shouldKeepAlive = false;
  response.writeHead(answer.statusCode as number, answer.statusMessage, passedOn(answer));
  response.flushHeaders();
  pipeline(answer, response, () => {}); // if the answer from `url` breaks off, so does the answer to the caller
}

/**
 * Returns the headers in their original order and spelling. Leaves out the headers that concern only one connection,
 * and the headers in `others`.
 */
function passedOn({ rawHeaders, headers }: IncomingMessage, others: readonly string[] = []): string[] {
  const named = (headers.connection ?? '').toLowerCase().split(/\s*,\s*/);
  const kept: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    const lower = name.toLowerCase();
    if (!ofOneConnection.has(lower) && !named.includes(lower) && !others.includes(lower))
      kept.push(name, value);
  }
  return kept;
}
