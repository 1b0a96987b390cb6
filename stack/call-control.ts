/** A gateway's control API. */
export interface ControlledGateway {
  readonly url: string;
  readonly controlToken: string;
}

/** A call of a gateway's control API; a path such as `/clock`. @throws where it does not succeed */
export async function callControl<Body>(
  { url, controlToken }: ControlledGateway,
  method: string,
  path: string,
  body?: unknown,
): Promise<Body> {
  return callJson<Body>(url, controlToken, method, `/control${path}`, body);
}

/** A call with a bearer token; undefined where the answer has no body. @throws where it does not succeed */
export async function callJson<Body>(
  url: string,
  token: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Body> {
  const response = await fetch(new URL(path, url), {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.ok) return (text === '' ? undefined : JSON.parse(text)) as Body;
  throw new Error(`${method} ${path} answered ${response.status}: ${messageOf(text)}`);
}

/** What an error says, the fields at fault with it. */
function messageOf(text: string): string {
  try {
    const { message, details = [] } = JSON.parse(text) as {
      message: string;
      details?: { path: string; message: string }[];
    };
    return [message, ...details.map((fault) => `${fault.path} ${fault.message}`)].join('; ');
  } catch {
    return text.slice(0, 200);
  }
}

/** The time on a gateway's clock, epoch milliseconds. */
export async function readClock(gateway: ControlledGateway): Promise<number> {
  return Date.parse((await callControl<{ now: string }>(gateway, 'GET', '/clock')).now);
}

/** How a webhook's receiver took a message with a wrong signature. */
export interface ProbedWebhook {
  readonly id: string;
  /** Whether it refused it; null where there was no answer. */
  readonly verified: boolean | null;
  readonly error: string | null;
}

/** Sends every enabled webhook of a gateway a message with a wrong signature. */
export async function probeWebhooks(gateway: ControlledGateway): Promise<ProbedWebhook[]> {
  const webhooks = await callControl<{ id: string; enabled: boolean }[]>(gateway, 'GET', '/webhooks');
  const probed: ProbedWebhook[] = [];
  for (const { id, enabled } of webhooks) {
    if (!enabled) continue;
    const path = `/webhooks/${encodeURIComponent(id)}/probe`;
    probed.push({ ...(await callControl<Omit<ProbedWebhook, 'id'>>(gateway, 'POST', path)), id });
  }
  return probed;
}
