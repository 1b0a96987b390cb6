import { z } from 'zod';

/** The largest number that the database's column can hold. */
const mostTimes = 2_147_483_647;

/**
 * The fields that every fault has. They name the account, the number of requests or events that the fault leaves alone
 * at first, and the number of requests or events that the fault then affects (B212).
 */
const counted = {
  accountId: z.string().optional().meta({
    description: 'The account whose requests or events the fault affects; every account by default',
  }),
  after: z.int().min(0).max(mostTimes).default(0).meta({
    description:
      'The number of matching requests or events that the fault leaves alone before it takes effect',
  }),
  times: z.int().min(1).max(mostTimes).nullable().default(1).meta({
    description:
      'The number of requests or events that the fault affects. With null, the fault affects all of them until the fault is cleared',
  }),
};

/** The fields that say which requests a fault affects. */
export const requestTargetFields = {
  method: z
    .enum(['GET', 'POST', 'PUT'])
    .optional()
    .meta({ description: 'The method of the requests that the fault affects; every method by default' }),
  path: z
    .string()
    .regex(/^\/(?!control(\/|$))[^?#]*$/, 'must be a path outside /control, without a query')
    .max(300)
    .optional()
    .meta({
      description:
        'The path of the requests that the fault affects; every path by default. In the path, {name} matches any one segment',
      example: '/terminals/{terminalId}/payment-request',
    }),
  asks: z.enum(['payment', 'reversal', 'refund', 'status', 'abort']).optional().meta({
    description:
      "The purpose that the affected requests have in Adyen's API (docs/adyen.md); every purpose by default",
  }),
  ...counted,
};

/** The fields that say which webhook events a fault affects. */
export const eventTargetFields = {
  endpointId: z
    .string()
    .max(100)
    .optional()
    .meta({ description: 'The id of the webhook whose events the fault affects; every webhook by default' }),
  ...counted,
};

/** The properties of a request that decide whether a fault affects it. */
export interface RequestTargetProperties {
  readonly method: string;
  readonly path: string;
  readonly accountId: string | undefined;
  /**
   * The purpose of the request (such as a payment or an abort) if another vendor's API received it; otherwise
   * undefined.
   */
  readonly asks: string | undefined;
}

/** The properties of an event to a webhook that decide whether a fault affects the event. */
export interface EventTargetProperties {
  readonly accountId: string;
  readonly endpointId: string;
}

export function affectsRequest(
  set: Partial<RequestTargetProperties>,
  { method, path, accountId, asks }: RequestTargetProperties,
): boolean {
  return (
    (set.method === undefined || set.method === method) &&
    (set.accountId === undefined || set.accountId === accountId) &&
    (set.asks === undefined || set.asks === asks) &&
    (set.path === undefined || isLike(set.path, path))
  );
}

export function affectsEvent(
  set: Partial<EventTargetProperties>,
  { accountId, endpointId }: EventTargetProperties,
): boolean {
  return (
    (set.accountId === undefined || set.accountId === accountId) &&
    (set.endpointId === undefined || set.endpointId === endpointId)
  );
}

function isLike(pattern: string, path: string): boolean {
  const [wanted, segments] = [pattern.split('/'), (path.split('?')[0] ?? '').split('/')];
  return (
    wanted.length === segments.length &&
    wanted.every((part, index) => /^\{\w+\}$/.test(part) || part === segments[index])
  );
}
