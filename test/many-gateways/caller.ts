import { expect } from 'vitest';

/** Calls operations of the OpenAPI document at a URL, and remembers which operations it called. */
export class Caller {
  readonly called = new Set<string>();
  /** The token of one account. The caller asks for the payments of this account. */
  token = '';
  readonly #url: string;
  readonly #controlToken: string;

  constructor({ url, controlToken }: { url: string; controlToken: string }) {
    this.#url = url;
    this.#controlToken = controlToken;
  }

  /**
   * Calls an operation, which has to succeed.
   * @param operation method and path as in the document: `GET /debit/{debit_id}/refunds?limit=1`
   * @param values the values of the path's parameters
   */
  // biome-ignore lint/suspicious/noExplicitAny: answers are checked by the OpenAPI document, and read freely here
  async call(operation: string, values: Record<string, string> = {}, body?: object): Promise<any> {
    const answer = await this.fetch(operation, values, body);
    const text = await answer.text();
    expect(answer.ok, `${operation}: ${answer.status} ${text}`).toBe(true);
    return answer.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : text;
  }

  /** Opens a stream, and closes it when the first bytes have come. */
  async stream(operation: string): Promise<void> {
    const leaving = new AbortController();
    const { status, body } = await this.fetch(operation, {}, undefined, leaving.signal);
    expect(status, operation).toBe(200);
    await body?.getReader().read();
    leaving.abort();
  }

  fetch(
    operation: string,
    values: Record<string, string> = {},
    body?: object,
    signal?: AbortSignal,
  ): Promise<Response> {
    const [method = '', target = ''] = operation.split(' ');
    this.called.add(operation.split('?')[0] ?? '');
    return fetch(this.#url + target.replaceAll(/\{(\w+)\}/g, (_, name) => values[name] ?? ''), {
      method,
      headers: {
        authorization: `Bearer ${target.startsWith('/control') ? this.#controlToken : this.token}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  }
}
