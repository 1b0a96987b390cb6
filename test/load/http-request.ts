import { request } from 'node:http';

export interface HttpAnswer {
  status: number;
  location: string | undefined;
  cookie: string | undefined;
  text: string;
}

/** No answer came, because the connection broke or could not be made, or because the time limit passed. */
export class NoAnswer extends Error {
  readonly timedOut: boolean;
  constructor(message: string, timedOut: boolean) {
    super(message);
    this.timedOut = timedOut;
  }
}

/**
 * Sends one request on a connection of its own. If this connection breaks, the other side has broken it.
 * @throws NoAnswer
 */
export function httpRequest(
  url: string,
  options: {
    method: string;
    headers: Record<string, string>;
    body?: string;
    timeoutMs: number;
    signal?: AbortSignal;
  },
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const { method, headers, body, timeoutMs, signal } = options;
    const fail = (error: Error) => reject(new NoAnswer(error.message, false));
    const call = request(
      url,
      { method, headers, agent: false, ...(signal ? { signal } : {}) },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', fail);
        response.on('end', () => {
          clearTimeout(timer);
          const text = Buffer.concat(chunks).toString();
          const { location, 'set-cookie': [cookie] = [] } = response.headers;
          resolve({ status: response.statusCode ?? 0, location, cookie, text });
        });
      },
    );
    const timer = setTimeout(() => {
      reject(new NoAnswer(`no answer within ${timeoutMs} ms`, true));
      call.destroy();
    }, timeoutMs);
    call.on('error', (error) => {
      clearTimeout(timer);
      fail(error);
    });
    call.end(body);
  });
}
