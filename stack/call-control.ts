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
): Promise<Body> {
  const response = await fetch(new URL(`/control${path}`, url), {
    method,
    headers: { authorization: `Bearer ${controlToken}` },
  });
  if (!response.ok) throw new Error(`${method} /control${path} answered ${response.status}`);
  return (await response.json()) as Body;
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
