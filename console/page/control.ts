/**
 * The error when the gateway refuses a call, or when the gateway cannot be reached. `message` is a text for people.
 */
export class ControlError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Calls the control API. The browser adds the cookie with which the user is signed in. */
export async function callControl<Body = unknown>(
  method: Method,
  path: string,
  body?: unknown,
): Promise<Body> {
  const response = await fetch(`/control${path}`, {
    method,
    headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new ControlError(0, 'The gateway does not answer');
  });
  if (response.ok) return response.status === 204 ? (undefined as Body) : response.json();
  throw new ControlError(response.status, await messageOf(response));
}

async function messageOf(response: Response): Promise<string> {
  const answer = (await response.json().catch(() => ({}))) as {
    message?: string;
    details?: { path: string; message: string }[];
  };
  const details = answer.details?.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
  return details || answer.message || `The gateway answered ${response.status}`;
}

/** Makes a path. Encodes the inserted values, because a value may come from a person or from another program. */
export function encodePath(strings: TemplateStringsArray, ...parts: string[]): string {
  return strings.reduce((text, piece, index) => text + encodeURIComponent(parts[index - 1] ?? '') + piece);
}
