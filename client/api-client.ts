/**
 * A client with a function for each HTTP method. Each function calls a path of the OpenAPI document, and resolves
 * with the body of the answer.
 */
export type ApiClient<Paths> = {
  [Name in MethodName]: <Path extends PathWith<Paths, Lowercase<Name>>>(
    path: Path,
    ...request: RequestArguments<Paths[Path][Lowercase<Name> & keyof Paths[Path]]>
  ) => Promise<AnswerOf<Paths[Path][Lowercase<Name> & keyof Paths[Path]]>>;
} & {
  /**
   * Calls a path that is known only at run time. `path` includes the query.
   *
   * @throws ApiError if the gateway refuses the call
   *
   * @example
   * const control = createControlClient({ url: 'http://127.0.0.1:8080', token: 'ctl_…' });
   * const books = await control.call('GET', '/control/books');
   */
  call(method: string, path: string, body?: unknown): Promise<unknown>;
};

/** The gateway that a client calls, and the token that the client sends. */
export interface ClientOptions {
  /** The gateway's address, e.g. http://127.0.0.1:8080 */
  url: string;
  /** An API token. Calls of paths under /control need the control token instead. */
  token: string;
  /** A function to use in place of the platform's `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type MethodName = (typeof methods)[number];
type PathWith<Paths, Method extends string> = {
  [Path in keyof Paths]: Method extends keyof Paths[Path] ? Path : never;
}[keyof Paths];

type ParametersOf<Operation> = Operation extends { parameters: infer Parameters }
  ? Pick<Parameters, keyof Parameters & ('path' | 'query')>
  : never;
type BodyOf<Operation> = Operation extends { requestBody: { content: { 'application/json': infer Body } } }
  ? { body: Body }
  : Operation extends { requestBody?: { content: { 'application/json': infer Body } } }
    ? { body?: Body }
    : object;
type RequestOf<Operation> = (object extends ParametersOf<Operation>
  ? { params?: ParametersOf<Operation> }
  : { params: ParametersOf<Operation> }) &
  BodyOf<Operation>;
type RequestArguments<Operation> =
  object extends RequestOf<Operation> ? [request?: RequestOf<Operation>] : [request: RequestOf<Operation>];

type Success = 200 | 201 | 202 | 204;
type AnswerOf<Operation> = Operation extends { responses: infer Answers }
  ? { [Status in keyof Answers & Success]: JsonOf<Answers[Status]> }[keyof Answers & Success]
  : never;
type JsonOf<Answer> = Answer extends { content: { 'application/json': infer Body } } ? Body : undefined;

/**
 * A call throws this error if the gateway refuses the call. `code` is the error's name, e.g. `debitNotFound`.
 *
 * @example
 * const control = createControlClient({ url: 'http://127.0.0.1:8080', token: 'ctl_…' });
 * try {
 *   await control.GET('/control/books');
 * } catch (error) {
 *   if (error instanceof ApiError) console.error(error.status, error.code, error.message);
 * }
 */
export class ApiError extends Error {
  /** The status of the answer, such as 404. */
  readonly status: number;
  /** The name of the error; undefined if the answer does not name the error. */
  readonly code: string | undefined;
  /** The number of seconds after which the client should call again; undefined if the gateway gives no number. */
  readonly retryAfter: number | undefined;
  constructor(call: string, { status, headers }: Response, text: string) {
    const { error, message, details } = errorIn(text);
    const faults = details.map(({ path, message }) => `${path} ${message}`.trim());
    const refusal = [status, error].filter(Boolean).join(' ');
    // If an answer lists only one fault, the answer's message may have the same text as the fault. A set contains each
    // text only once, so the error does not repeat the text.
    const said = new Set([message ?? text.slice(0, 200).replaceAll(/\s+/g, ' ').trim(), ...faults]);
    super(`${call} answered ${refusal}: ${[...said].join('; ')}`);
    this.status = status;
    this.code = error;
    this.retryAfter = retryAfterOf(headers);
  }
}

/** Returns the seconds of a Retry-After header; undefined if there is no such header, or if the header has a date. */
export function retryAfterOf(headers: Headers): number | undefined {
  const given = headers.get('retry-after') ?? '';
  return /^\d+$/.test(given) ? Number(given) : undefined;
}

interface FaultInBody {
  path: string;
  message: string;
}

/** Reads the gateway's error in an answer. Fields that the answer of another server has in another form are left out. */
function errorIn(text: string) {
  const { error, message, details } = fieldsIn(text);
  return {
    error: typeof error === 'string' ? error : undefined,
    message: typeof message === 'string' ? message : undefined,
    details: Array.isArray(details) ? details.filter(isFault) : [],
  };
}

function fieldsIn(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

function isFault(detail: unknown): detail is FaultInBody {
  const { path, message } = Object(detail);
  return typeof path === 'string' && typeof message === 'string';
}

/** The parts of a call: parameters for the path and the query, and a body that is sent as JSON. */
export interface CallParts {
  params?: { path?: object; query?: object };
  body?: unknown;
}

/**
 * Creates a client for some of the gateway's operations. The client does not follow redirects, and throws an ApiError
 * if a call fails.
 */
export function createApiClient<Paths>(options: ClientOptions): ApiClient<Paths> {
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await send(options, method, path, body);
    const text = await response.text();
    if (!response.ok) throw new ApiError(`${method} ${path}`, response, text);
    const isJson = /^application\/json\b/.test(response.headers.get('content-type') ?? '');
    return isJson ? (JSON.parse(text) as unknown) : text || undefined;
  };
  const callers = methods.map((method) => [
    method,
    (path: string, { params, body }: CallParts = {}) => call(method, fillPath(path, params), body),
  ]);
  return { ...Object.fromEntries(callers), call } as ApiClient<Paths>;
}

/** Sends a request with the client's token. */
export function send(
  { url, token, fetch = globalThis.fetch }: ClientOptions,
  method: string,
  path: string,
  body?: unknown,
  more: { accept?: string; signal?: AbortSignal } = {},
): Promise<Response> {
  const headers = new Headers({ authorization: bearer(token) });
  if (body !== undefined) headers.set('content-type', 'application/json');
  if (more.accept) headers.set('accept', more.accept);
  const text = body === undefined ? null : JSON.stringify(body);
  const request = { method, headers, redirect: 'manual', body: text, signal: more.signal ?? null } as const;
  return fetch(new Request(new URL(path, url), request));
}

/**
 * Returns the value of the `Authorization` header for a token.
 *
 * @throws Error if a header cannot contain the token. `fetch` would throw too, but its error would reveal the token.
 */
export function bearer(token: string): string {
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(token))
    throw new Error('the token has a line break or another character that no HTTP header can have');
  return `Bearer ${token}`;
}

/** Returns a path with its parameters filled in. */
export function fillPath(template: string, { path = {}, query = {} }: CallParts['params'] = {}): string {
  const values = new Map(Object.entries(path));
  const address = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(values.get(name))));
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
  return search.size > 0 ? `${address}?${search}` : address;
}
